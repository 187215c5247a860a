//! Searches lines while they are written, again whenever the text of a line changes.
//!
//! If many lines that consist only of text and attributes arrive at once, only a windowful at each
//! end of the run is drawn (see [`reader`](super::reader)). The lines between are searched once
//! each, as they were written. A property test checks that the results are the same.

use std::ops::Range;

use super::block::Block;
use super::reader::Checked;
use super::{Checkpoint, Layout, Plain, simple};
use crate::term::size::Size;

/// Minimum number of bytes for which a search for lines that need not be drawn is worth its cost.
const WORTH: usize = 4096;

/// Number of bytes that are drawn before the next search for a run. The step starts at the lower
/// bound and doubles after each search that found none.
const STEPS: Range<usize> = 1024..64 * 1024;

/// A search in lines.
pub trait Search {
    /// What the search finds.
    type Found;

    /// Searches line `n` in its present text, or in the text that it had when it began to be
    /// overwritten.
    fn line(&mut self, n: u64, text: &str) -> Option<Self::Found>;

    /// The first of `lines` in a block that may match.
    fn first(&mut self, block: &Block, lines: Range<usize>) -> Option<usize>;
}

/// Renders a stream of bytes and searches its lines.
#[derive(Debug)]
pub struct Follower {
    layout: Layout,
    plain: Plain,
    /// Minimum number of bytes for a search; see [`WORTH`].
    worth: usize,
    run: Block,
    /// Draws everything, for comparison.
    #[cfg(test)]
    draws: bool,
}

impl Follower {
    /// Creates a follower that continues from `at`. The layout must be the one with which `at` was
    /// made.
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

    /// Continues at another size.
    pub fn resize(&mut self, size: Size) {
        self.layout.size = size;
        self.plain.resize(size);
    }

    /// Processes the next bytes and searches the lines that they change. Lines are searched in
    /// order of time where that matters; an overwritten text may come before other texts of the
    /// same time. Stops at the first match.
    pub fn feed<S: Search>(&mut self, bytes: &[u8], search: &mut S) -> Option<S::Found> {
        let (mut at, mut step) = (0, STEPS.start);
        // An incomplete line is not searched, and neither is an incomplete character in it.
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let mut text = Checked::default();
        while at < bytes.len() {
            let rest = &bytes[at..];
            let is_worth_it = rest.len() >= self.worth;
            let run = if is_worth_it {
                self.find_run(text.from(&bytes[..whole], at))
            } else {
                0
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
            // A run can begin only after a newline.
            let length = if is_worth_it {
                memchr::memchr(b'\n', rest.get(step..).unwrap_or_default())
                    .map_or(rest.len(), |end| step + end + 1)
            } else {
                rest.len()
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

    /// Finds the lines at the beginning of a text that consist only of text and attributes. Returns
    /// their number.
    fn find_run(&mut self, text: &str) -> usize {
        if !self.plain.is_plain() || !self.plain.ends_with_newline() {
            return 0;
        }
        let layout = self.layout;
        self.run
            .read(text, |line, out| simple::push_attributed(line, layout, out));
        self.run.len()
    }

    /// Processes the run that was found. All of its lines except `hidden` are drawn.
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
            // An empty line has not changed the text of any line.
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

    /// Collects all lines. Lines that contain this text may match.
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
    fn lines_of_text_are_skipped_and_others_drawn() {
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
    fn a_match_stops_the_follower() {
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
        fn skipped_lines_give_the_same_matches(
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
