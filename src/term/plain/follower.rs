//! Lines as they are written, each whenever its text changes.
//!
//! Lines of nothing but text and attributes are not drawn if many come at once, but for as many as the window
//! has rows before and after them (see [`reader`](super::reader)): each is looked at once, as it was written.
//! A property test holds that nobody can tell.

use std::ops::Range;

use super::block::Block;
use super::reader::Checked;
use super::{Checkpoint, Layout, Plain, simple};

/// Bytes for which it is worth a look whether they have to be drawn.
const WORTH: usize = 4096;

/// Bytes that are drawn before the next look: at first, and where the looks before were in vain.
const STEPS: Range<usize> = 1024..64 * 1024;

/// What lines are looked at for.
pub trait Search {
    /// What is found.
    type Found;

    /// Looks at line `n` as it is now, or was when something began to overwrite it.
    fn line(&mut self, n: u64, text: &str) -> Option<Self::Found>;

    /// The first of some lines of a block that is worth a look.
    fn first(&mut self, block: &Block, lines: Range<usize>) -> Option<usize>;
}

/// Follows a stream of bytes.
#[derive(Debug)]
pub struct Follower {
    layout: Layout,
    plain: Plain,
    /// Bytes from which on it is worth a look.
    worth: usize,
    run: Block,
    /// Whether everything is drawn after all.
    #[cfg(test)]
    draws: bool,
}

impl Follower {
    /// One that goes on from `at`, with the layout that `at` was found with.
    pub fn new(layout: Layout, at: Checkpoint) -> Self {
        Self {
            layout,
            plain: plain(layout, at),
            worth: WORTH,
            run: Block::default(),
            #[cfg(test)]
            draws: false,
        }
    }

    /// Takes the next bytes and looks at what they change, in the order of time where that counts: a text that was
    /// overwritten may come before others of its time. What is found ends it.
    pub fn feed<S: Search>(&mut self, bytes: &[u8], search: &mut S) -> Option<S::Found> {
        let (mut at, mut step) = (0, STEPS.start);
        // A line that is cut is not looked at, and neither is the character that is cut with it.
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let mut text = Checked::default();
        while at < bytes.len() {
            let rest = &bytes[at..];
            let is_worth_it = rest.len() >= self.worth;
            let run = match is_worth_it {
                true => self.find_run(text.from(&bytes[..whole], at)),
                false => 0,
            };
            let rows = usize::from(self.layout.size.rows());
            if run >= 3 * rows {
                let length = self.run.bytes();
                if let Some(found) = self.pass(&rest[..length], rows..run - rows, search) {
                    return Some(found);
                }
                at += length;
                step = STEPS.start;
                continue;
            }
            // A run can only begin after a newline.
            let length = match is_worth_it {
                true => memchr::memchr(b'\n', rest.get(step..).unwrap_or_default())
                    .map_or(rest.len(), |end| step + end + 1),
                false => rest.len(),
            };
            if let Some(found) = self.draw(&rest[..length], search) {
                return Some(found);
            }
            at += length;
            step = STEPS.end.min(step * 2);
        }
        None
    }

    fn draw<S: Search>(&mut self, bytes: &[u8], search: &mut S) -> Option<S::Found> {
        self.plain.feed(bytes);
        let touched = self.plain.take_touched();
        touched
            .iter()
            .find_map(|line| search.line(line.n, &line.text))
    }

    /// Finds the lines of nothing but text and attributes that a text begins with. How many they are.
    fn find_run(&mut self, text: &str) -> usize {
        if !self.plain.is_plain() || !self.plain.ends_with_newline() {
            return 0;
        }
        let layout = self.layout;
        self.run
            .read(text, |line, out| simple::push_attributed(line, layout, out));
        self.run.len()
    }

    /// Takes the run that was found: all but the lines `hidden` of it are drawn.
    fn pass<S: Search>(
        &mut self,
        bytes: &[u8],
        hidden: Range<usize>,
        search: &mut S,
    ) -> Option<S::Found> {
        let base = self.plain.offset();
        let [begin, end] = [hidden.start, hidden.end].map(|line| self.run.start(line));
        if let Some(found) = self.draw(&bytes[..begin], search) {
            return Some(found);
        }
        #[cfg(test)]
        if self.draws {
            let found = self.draw(&bytes[begin..end], search);
            return found.or_else(|| self.draw(&bytes[end..], search));
        }
        let next = self.plain.total_lines() + 1;
        let number = |line: usize| next + (line - hidden.start) as u64;
        let mut from = hidden.start;
        while let Some(line) = search.first(&self.run, from..hidden.end) {
            let text = self.run.line(line);
            // Where nothing was written nothing has changed.
            if !text.is_empty()
                && let Some(found) = search.line(number(line), text)
            {
                return Some(found);
            }
            from = line + 1;
        }
        let offset = base + end as u64;
        let at = Checkpoint::scrolled(self.layout.size, offset, number(hidden.end));
        self.plain = plain(self.layout, at);
        self.draw(&bytes[end..], search)
    }
}

fn plain(layout: Layout, at: Checkpoint) -> Plain {
    let mut plain = Plain::resume(layout, at);
    plain.set_keep_final(false);
    plain
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::term::plain::LayoutKind;
    use crate::term::plain::reader::tests::carried;
    use crate::term::size::Size;

    /// All lines, each worth a look if it has this in it.
    struct All {
        wanted: &'static str,
        lines: BTreeSet<(u64, String)>,
        passed: usize,
    }

    impl Search for All {
        type Found = ();

        fn line(&mut self, n: u64, text: &str) -> Option<()> {
            self.lines.insert((n, text.to_owned()));
            None
        }

        fn first(&mut self, block: &Block, mut lines: Range<usize>) -> Option<usize> {
            self.passed += 1;
            lines.find(|&line| block.line(line).contains(self.wanted))
        }
    }

    fn layout(kind: LayoutKind) -> Layout {
        let size = Size::new(4, 20);
        Layout { size, kind }
    }

    fn followed(layout: Layout, bytes: &[u8], piece: usize, draws: bool) -> All {
        let start = Checkpoint {
            exact: true,
            ..Checkpoint::at(0)
        };
        let mut follower = Follower::new(layout, start);
        (follower.worth, follower.draws) = (1, draws);
        let mut all = All {
            wanted: "",
            lines: BTreeSet::new(),
            passed: 0,
        };
        for piece in bytes.chunks(piece) {
            assert_eq!(follower.feed(piece, &mut all), None);
        }
        all
    }

    #[test]
    fn lines_of_text_are_passed_and_others_drawn() {
        let layout = layout(LayoutKind::Terminal);
        let log = |line: &str| format!("begin\r\n{}", line.repeat(200));
        for passed in [
            "some \x1b[31mred\x1b[m text\r\n",
            "e\u{301} 漢 and more than the width\r\n",
        ] {
            assert!(
                followed(layout, log(passed).as_bytes(), 9999, false).passed > 0,
                "{passed:?}"
            );
        }
        for drawn in [
            "1 %\r2 %\r\n",
            "up\x1b[A\r\n",
            "bare\n",
            "\x1b[K\r\n",
            "\x1b(0lqk\r\n",
        ] {
            assert_eq!(
                followed(layout, log(drawn).as_bytes(), 9999, false).passed,
                0,
                "{drawn:?}"
            );
        }
    }

    #[test]
    fn what_is_found_ends_it() {
        struct One(u64);
        impl Search for One {
            type Found = u64;
            fn line(&mut self, n: u64, _: &str) -> Option<u64> {
                (n >= self.0).then_some(n)
            }
            fn first(&mut self, _: &Block, lines: Range<usize>) -> Option<usize> {
                lines.into_iter().next()
            }
        }
        let log = "line\n".repeat(1000);
        for wanted in [1, 3, 5, 500, 997, 1000] {
            let mut follower = Follower::new(layout(LayoutKind::Pipe), Checkpoint::at(0));
            let found = follower.feed(log.as_bytes(), &mut One(wanted));
            assert_eq!(found, Some(wanted));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn nobody_can_tell_what_was_passed(
            (kind, log) in carried(), piece in 1..2000_usize,
        ) {
            let layout = layout(kind);
            let (passed, drawn) = (
                followed(layout, &log, piece, false),
                followed(layout, &log, piece, true),
            );
            prop_assert_eq!(drawn.passed, 0);
            prop_assert_eq!(passed.lines, drawn.lines);
        }
    }
}
