//! Lines of a log, in order, each once it is final.
//!
//! Long runs of simple lines are not drawn on a window. As many lines as it has rows
//! are drawn at the beginning of a run, so that everything before has scrolled away and
//! the cursor is in the last row, and as many at its end, so that what follows may go up
//! to them. Those between scroll by untouched. A property test holds that nobody can tell.

use super::row::Row;
use super::{Checkpoint, Layout, Line, Plain, simple};

/// One line as it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown<'a> {
    /// Its number, from 1 for ever.
    pub n: u64,
    /// Absolute raw offset of its first byte.
    pub start: u64,
    /// Its text, without the newline.
    pub text: &'a str,
}

impl<'a> From<&'a Line> for Shown<'a> {
    fn from(line: &'a Line) -> Self {
        Self {
            n: line.n,
            start: line.start,
            text: &line.text,
        }
    }
}

/// Reads the lines of a stream of bytes.
#[derive(Debug)]
pub struct Reader {
    layout: Layout,
    plain: Plain,
    /// Whether the next byte begins a line, as far as is known.
    begins: bool,
    passed: bool,
    /// The texts of a run of simple lines, one after the other.
    text: String,
    /// Where each of them ends, in bytes and in `text`.
    ends: Vec<(usize, usize)>,
    /// Room to draw one line in.
    row: Row,
}

impl Reader {
    /// A reader that goes on from `at`, with the layout that `at` was found with.
    pub fn new(layout: Layout, at: Checkpoint) -> Self {
        Self {
            layout,
            plain: plain(layout, at),
            begins: at.exact,
            passed: false,
            text: String::new(),
            ends: Vec::new(),
            row: Row::default(),
        }
    }

    /// Whether most of the last bytes did not have to be drawn.
    pub fn is_fast(&self) -> bool {
        self.passed
    }

    /// Takes the next bytes; lines that became final go to `take` until it says that it
    /// is enough. Any split of a stream gives the same lines. False: it is enough.
    pub fn feed(&mut self, bytes: &[u8], take: &mut impl FnMut(Shown<'_>) -> bool) -> bool {
        let rows = usize::from(self.layout.size.rows());
        let mut at = 0;
        let mut passed = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            self.find_run(rest);
            let run = self.ends.last().map_or(0, |&(end, _)| end);
            let more = if self.ends.len() >= 3 * rows {
                at += run;
                passed += run;
                self.pass(rest, rows, take)
            } else {
                // With the line that ended the run: there is no other beginning in it.
                let end = memchr::memchr(b'\n', &rest[run..]);
                let end = end.map_or(rest.len(), |end| run + end + 1);
                self.begins = rest[..end].ends_with(b"\n");
                at += end;
                self.plain.feed(&rest[..end]);
                self.plain
                    .drain_final()
                    .iter()
                    .all(|line| take(line.into()))
            };
            if !more {
                return false;
            }
        }
        self.passed = passed > bytes.len() / 2;
        true
    }

    /// The lines that are left at the end.
    pub fn finish(mut self, take: &mut impl FnMut(Shown<'_>) -> bool) {
        let lines = [self.plain.drain_final(), self.plain.live()].concat();
        lines.iter().all(|line| take(line.into()));
    }

    /// Finds the simple lines that `bytes` begin with.
    fn find_run(&mut self, bytes: &[u8]) {
        self.text.clear();
        self.ends.clear();
        if !self.begins || !self.plain.is_plain() {
            return;
        }
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            let line = &bytes[begin..end];
            if !simple::push_text(line, self.layout, &mut self.row, &mut self.text) {
                break;
            }
            begin = end + 1;
            self.ends.push((begin, self.text.len()));
        }
    }

    /// Takes the run that was found.
    fn pass(
        &mut self,
        bytes: &[u8],
        rows: usize,
        take: &mut impl FnMut(Shown<'_>) -> bool,
    ) -> bool {
        let base = self.plain.offset();
        let (first, last) = (rows - 1, self.ends.len() - rows - 1);
        let (run, _) = self.ends[self.ends.len() - 1];
        self.plain.feed(&bytes[..self.ends[first].0]);
        let drawn = [self.plain.drain_final(), self.plain.live()].concat();
        if !drawn.iter().all(|line| take(line.into())) {
            return false;
        }
        let mut n = self.plain.total_lines();
        for pair in self.ends[first..=last].windows(2) {
            let [(start, from), (_, to)] = *pair else {
                break;
            };
            n += 1;
            let line = Shown {
                n,
                start: base + start as u64,
                text: &self.text[from..to],
            };
            if !take(line) {
                return false;
            }
        }
        let (tail, _) = self.ends[last];
        let at = Checkpoint {
            offset: base + tail as u64,
            line: n + 1,
            row: self.layout.size.rows() - 1,
            alt: false,
            exact: true,
        };
        self.plain = plain(self.layout, at);
        self.plain.feed(&bytes[tail..run]);
        true
    }
}

fn plain(layout: Layout, at: Checkpoint) -> Plain {
    let mut plain = Plain::resume(layout, at);
    plain.set_track_touched(false);
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::plain::LayoutKind;
    use crate::term::size::Size;

    fn layout(kind: LayoutKind) -> Layout {
        let size = Size::new(4, 20);
        Layout { size, kind }
    }

    /// All lines as they are drawn.
    fn drawn(layout: Layout, bytes: &[u8]) -> Vec<(u64, u64, String)> {
        let mut plain = Plain::new(layout);
        plain.feed(bytes);
        let lines = [plain.drain_final(), plain.live()].concat();
        let line = |line: Line| (line.n, line.start, line.text);
        lines.into_iter().map(line).collect()
    }

    /// All lines as they are read in pieces of that size, and whether any was passed.
    fn read(layout: Layout, bytes: &[u8], piece: usize) -> (Vec<(u64, u64, String)>, bool) {
        let start = Checkpoint {
            exact: true,
            ..Checkpoint::at(0)
        };
        let mut reader = Reader::new(layout, start);
        let mut lines = Vec::new();
        let mut take = |line: Shown<'_>| {
            lines.push((line.n, line.start, line.text.to_owned()));
            true
        };
        let mut fast = false;
        for piece in bytes.chunks(piece) {
            assert!(reader.feed(piece, &mut take));
            fast |= reader.is_fast();
        }
        reader.finish(&mut take);
        (lines, fast)
    }

    #[test]
    fn plain_text_is_passed_and_what_goes_up_is_drawn() {
        let layout = layout(LayoutKind::Terminal);
        let text = "some \x1b[31mred\x1b[m text\r\n".repeat(100);
        assert!(read(layout, text.as_bytes(), 9999).1);
        for drawn in ["up\x1b[A\r\n", "\x1b(0lqk\r\n", "bare\n", "\x1b[2;3r\r\n"] {
            assert!(
                !read(layout, drawn.repeat(100).as_bytes(), 9999).1,
                "{drawn:?}"
            );
        }
    }

    #[test]
    fn it_ends_when_it_is_enough() {
        let layout = layout(LayoutKind::Pipe);
        let text = "line\n".repeat(100);
        for enough in [1, 3, 50, 95] {
            let mut reader = Reader::new(
                layout,
                Checkpoint {
                    exact: true,
                    ..Checkpoint::at(0)
                },
            );
            let mut last = 0;
            let more = reader.feed(text.as_bytes(), &mut |line| {
                last = line.n;
                line.n < enough
            });
            assert_eq!((more, last), (false, enough));
        }
    }

    /// Runs of simple lines with anything between them.
    fn logs() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![
            6 => "[a-z ]{0,30}\r\n",
            3 => "(\x1b\\[(|0|1;31)m|[a-z]|漢|é|e\u{301}|\t|\x08|\r|\x1b\\[[012]?K|\x07){0,12}\r\n",
        ];
        let run = proptest::collection::vec(line, 0..30).prop_map(|lines| lines.concat());
        let other = prop_oneof![
            3 => "(\x1b\\[[0-9]?[ABCDHJKLMPSTX@]|[a-z]{1,9}|\n|\r\n|\t){0,6}",
            1 => "\x1b([78DEMc]|\\(0|\\(B|\\[4[hl]|\\[20[hl]|\\[\\?[67][hl]|\\[\\?1049[hl]|\\[[23]?;?[34]?r|\\[!p|H|\\[s|\\[u)",
            1 => "(漢|\u{fffd}|\x0e|\x0f|[ -~]){0,50}",
        ];
        let bytes = proptest::collection::vec(any::<u8>(), 0..3);
        let part = (run, other, bytes)
            .prop_map(|(run, other, bytes)| [run.into_bytes(), other.into_bytes(), bytes].concat());
        proptest::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn nobody_can_tell_what_was_passed(
            log in logs(), piece in 1..2000_usize, pipe in any::<bool>(),
        ) {
            let layout = layout(if pipe { LayoutKind::Pipe } else { LayoutKind::Terminal });
            let log = match pipe {
                true => String::from_utf8_lossy(&log).replace("\r\n", "\n").into_bytes(),
                false => log,
            };
            let (lines, _) = read(layout, &log, piece);
            prop_assert_eq!(lines, drawn(layout, &log));
        }
    }
}
