//! Reads the lines of a log in order. A line is returned as soon as it is final.
//!
//! In a long run of simple lines, only some are drawn on the window. A windowful is drawn at the
//! beginning of the run, so that everything before it has scrolled off and the cursor is in the
//! last row. Another windowful is drawn at its end, because later output may move the cursor up to
//! these lines. The lines between are returned without being drawn. A property test checks that the
//! result is the same as if all were drawn.

use super::block::Block;
use super::row::Row;
use super::sieve::Sieve;
use super::{Checkpoint, Layout, Line, Plain, simple};
use crate::term::size::Size;

/// A line that the reader returns; it borrows the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown<'a> {
    /// Permanent number, counted from 1.
    pub n: u64,
    /// Absolute raw offset of its first byte.
    pub start: u64,
    /// The text, without the newline.
    pub text: &'a str,
    /// Whether the line exceeds the maximum length and continues in the next one.
    pub goes_on: bool,
}

impl<'a> From<&'a Line> for Shown<'a> {
    fn from(line: &'a Line) -> Self {
        Self {
            n: line.n,
            start: line.start,
            text: &line.text,
            goes_on: line.goes_on,
        }
    }
}

/// Reads the lines of a stream of bytes.
#[derive(Debug)]
pub struct Reader {
    layout: Layout,
    plain: Plain,
    /// Selects the lines that are wanted; `None` if all are.
    sieve: Option<Sieve>,
    /// Whether the next byte is known to begin a line.
    begins: bool,
    /// Whether all earlier output has scrolled off and the cursor is in the last row.
    scrolled: bool,
    /// Whether most of the bytes of the last [`Reader::feed`] were not drawn.
    passed: bool,
    /// The end of a run of simple lines. It is drawn only when the run has ended.
    held: Vec<u8>,
    run: Block,
    /// Buffer for drawing one line.
    row: Row,
}

impl Reader {
    /// Creates a reader that continues from `at`. The layout must be the one with which `at` was
    /// made.
    pub fn new(layout: Layout, at: Checkpoint) -> Self {
        Self {
            layout,
            plain: plain(layout, at),
            sieve: None,
            begins: at.exact,
            scrolled: false,
            passed: false,
            held: Vec::new(),
            run: Block::default(),
            row: Row::default(),
        }
    }

    /// Allows the reader to leave out lines that `sieve` does not select.
    #[must_use]
    pub fn with_sieve(mut self, sieve: Sieve) -> Self {
        self.sieve = Some(sieve);
        self
    }

    /// Whether most of the bytes of the last [`Self::feed`] were not drawn.
    pub fn is_fast(&self) -> bool {
        self.passed
    }

    /// Processes the next bytes. Passes lines that have become final to `take` until it returns
    /// false. Returns false in that case. The result does not depend on how the stream is split.
    pub fn feed(&mut self, bytes: &[u8], take: &mut impl FnMut(Shown<'_>) -> bool) -> bool {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let Some(taken) = self.read(&held, take) else {
            return false;
        };
        held.drain(..taken);
        self.held = held;
        true
    }

    /// Continues at another size. Passes the lines that this makes final to `take` until it returns false. Returns false
    /// in that case.
    pub fn resize(&mut self, size: Size, take: &mut impl FnMut(Shown<'_>) -> bool) -> bool {
        if size == self.layout.size {
            return true;
        }
        self.layout.size = size;
        self.plain.feed(&std::mem::take(&mut self.held));
        self.plain.resize(size);
        (self.begins, self.scrolled) = (false, false);
        let lines = self.plain.drain_final();
        lines.iter().all(|line| take(line.into()))
    }

    /// Passes the remaining lines to `take` until it returns false. Returns false in that case.
    pub fn finish(mut self, take: &mut impl FnMut(Shown<'_>) -> bool) -> bool {
        self.plain.feed(&self.held);
        let lines = [self.plain.drain_final(), self.plain.live()].concat();
        lines.iter().all(|line| take(line.into()))
    }

    /// Passes the lines so far to `take` until it returns false, and continues at `at`, because the
    /// output before it is not kept. Returns false if `take` did.
    pub fn skip_to(&mut self, at: Checkpoint, take: &mut impl FnMut(Shown<'_>) -> bool) -> bool {
        let mut before = std::mem::replace(self, Self::new(self.layout, at));
        self.sieve = before.sieve.take();
        before.finish(take)
    }

    /// Returns the number of bytes processed; `None` if `take` returned false.
    fn read(&mut self, bytes: &[u8], take: &mut impl FnMut(Shown<'_>) -> bool) -> Option<usize> {
        let rows = usize::from(self.layout.size.rows());
        let (mut at, mut passed) = (0, 0);
        // An incomplete line is not processed, and neither is an incomplete character in it.
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let mut text = Checked::default();
        while at < bytes.len() {
            let is_cut = self.find_run(text.from(&bytes[..whole], at));
            let run = self.run.bytes();
            let drawn = if self.scrolled { 0 } else { rows };
            if self.run.len() >= drawn + 2 * rows {
                let end = self.pass(&bytes[at..], drawn, take)?;
                at += end;
                passed += end;
                if is_cut {
                    break;
                }
                self.draw(&bytes[at..at + run - end], take)?;
                at += run - end;
            } else {
                // Include the line that ended the run, because no other run begins in it.
                let rest = &bytes[at..];
                let end = memchr::memchr(b'\n', &rest[run..]);
                let end = end.map_or(rest.len(), |end| run + end + 1);
                self.draw(&rest[..end], take)?;
                at += end;
            }
        }
        self.passed = passed > bytes.len() / 2;
        Some(at)
    }

    /// Draws bytes on the window.
    fn draw(&mut self, bytes: &[u8], take: &mut impl FnMut(Shown<'_>) -> bool) -> Option<()> {
        self.scrolled = false;
        self.begins = bytes.ends_with(b"\n");
        self.plain.feed(bytes);
        let lines = self.plain.drain_final();
        lines.iter().all(|line| take(line.into())).then_some(())
    }

    /// Finds the simple lines at the beginning of a text. Returns true if the run may continue
    /// after the text.
    fn find_run(&mut self, text: &str) -> bool {
        if !self.begins || !self.plain.is_plain() {
            self.run.clear();
            return false;
        }
        let (layout, row) = (self.layout, &mut self.row);
        self.run
            .read(text, |line, out| simple::push_text(line, layout, row, out))
    }

    /// Passes the lines of the run that was found to `take`, except a windowful at its end. Draws
    /// only the first `drawn` of them. Returns the number of bytes processed; `None` if `take`
    /// returned false.
    fn pass(
        &mut self,
        bytes: &[u8],
        drawn: usize,
        take: &mut impl FnMut(Shown<'_>) -> bool,
    ) -> Option<usize> {
        let base = self.plain.offset();
        let lines = drawn..self.run.len() - usize::from(self.layout.size.rows());
        self.plain.feed(&bytes[..self.run.start(lines.start)]);
        let before = [self.plain.drain_final(), self.plain.live()].concat();
        if !before.iter().all(|line| take(line.into())) {
            return None;
        }
        let n = self.plain.total_lines() + 1;
        let line = |line: usize| Shown {
            n: n + (line - lines.start) as u64,
            start: base + self.run.start(line) as u64,
            text: self.run.line(line),
            goes_on: false,
        };
        let more = match &self.sieve {
            None => lines.clone().all(|number| take(line(number))),
            Some(sieve) => {
                let mut wanted = sieve.wanted(&self.run, lines.clone());
                wanted.all(|number| take(line(number)))
            }
        };
        let end = self.run.start(lines.end);
        let (offset, line) = (base + end as u64, n + lines.len() as u64);
        let at = Checkpoint::scrolled(self.layout.size, offset, line);
        self.plain = plain(self.layout, at);
        self.scrolled = true;
        more.then_some(end)
    }
}

/// The valid UTF-8 text at the beginning of some bytes. Each byte is validated once.
#[derive(Default)]
pub(super) struct Checked<'a> {
    text: &'a str,
    /// Offset of the text in the bytes.
    from: usize,
}

impl<'a> Checked<'a> {
    /// The valid text from `at` on. Offsets must not decrease between calls.
    pub(super) fn from(&mut self, bytes: &'a [u8], at: usize) -> &'a str {
        if at >= self.from + self.text.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            let text = std::str::from_utf8(rest)
                .or_else(|error| std::str::from_utf8(&rest[..error.valid_up_to()]));
            (self.text, self.from) = (text.unwrap_or_default(), at);
        }
        self.text.get(at - self.from..).unwrap_or_default()
    }
}

fn plain(layout: Layout, at: Checkpoint) -> Plain {
    let mut plain = Plain::resume(layout, at);
    plain.set_track_touched(false);
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::plain::LayoutKind;

    fn layout(kind: LayoutKind) -> Layout {
        let size = Size::new(4, 20);
        Layout { size, kind }
    }

    /// All lines, read by drawing.
    fn drawn(layout: Layout, bytes: &[u8]) -> Vec<(u64, u64, String)> {
        let mut plain = Plain::new(layout);
        plain.feed(bytes);
        let lines = [plain.drain_final(), plain.live()].concat();
        let line = |line: Line| (line.n, line.start, line.text);
        lines.into_iter().map(line).collect()
    }

    fn start() -> Checkpoint {
        Checkpoint {
            exact: true,
            ..Checkpoint::at(0)
        }
    }

    /// All lines, read in pieces of this size, and whether any was skipped.
    fn read(layout: Layout, bytes: &[u8], piece: usize) -> (Vec<(u64, u64, String)>, bool) {
        read_with(Reader::new(layout, start()), bytes, piece)
    }

    fn read_with(
        mut reader: Reader,
        bytes: &[u8],
        piece: usize,
    ) -> (Vec<(u64, u64, String)>, bool) {
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
    fn plain_text_is_skipped_and_lines_that_move_up_are_drawn() {
        let layout = layout(LayoutKind::Terminal);
        let text = "some \x1b[31mred\x1b[m text\r\n".repeat(100);
        assert!(read(layout, text.as_bytes(), 9999).1);
        let marks = "e\u{301}\u{301} 漢 and more than the width\r\n".repeat(100);
        assert!(read(layout, marks.as_bytes(), 9999).1);
        let bar = "\x1b[K====                  \rwrapped, and gone back\r\n".repeat(100);
        assert!(read(layout, bar.as_bytes(), 9999).1);
        for drawn in ["up\x1b[A\r\n", "\x1b(0lqk\r\n", "bare\n", "\x1b[2;3r\r\n"] {
            assert!(
                !read(layout, drawn.repeat(100).as_bytes(), 9999).1,
                "{drawn:?}"
            );
        }
    }

    #[test]
    fn a_line_whose_first_row_was_erased_has_the_same_start_as_if_drawn() {
        let layout = layout(LayoutKind::Terminal);
        let empty = "\r\n".repeat(9);
        let log = format!("{empty}\t\t\x08漢漢\x1b[1K漢\r\n{empty}");
        assert_eq!(
            read(layout, log.as_bytes(), 99).0,
            drawn(layout, log.as_bytes())
        );
    }

    #[test]
    fn reading_stops_when_take_returns_false() {
        let layout = layout(LayoutKind::Pipe);
        let text = "line\n".repeat(100);
        for enough in [1, 3, 50, 95] {
            let mut reader = Reader::new(layout, start());
            let mut last = 0;
            let more = reader.feed(text.as_bytes(), &mut |line| {
                last = line.n;
                line.n < enough
            });
            assert_eq!((more, last), (false, enough));
        }
    }

    /// Runs of simple lines with other output between them.
    fn logs() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![
            6 => "[a-z ]{0,30}\r\n",
            3 => "(\x1b\\[(|0|1;31)m|[a-z]{1,5}|漢|é|\u{301}|\u{85}|\t|\x08|\r|\x1b\\[[012]?K|\x07){0,30}\r\n",
            1 => "(\x1b\\[1m|[a-z]|漢|\u{301}){0,60}\r\n",
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

    /// Such a log, from a terminal or from a pipe.
    pub(in super::super) fn carried() -> impl Strategy<Value = (LayoutKind, Vec<u8>)> {
        (logs(), any::<bool>()).prop_map(|(log, pipe)| {
            if pipe {
                let log = String::from_utf8_lossy(&log).replace("\r\n", "\n");
                (LayoutKind::Pipe, log.into_bytes())
            } else {
                (LayoutKind::Terminal, log)
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn skipped_lines_give_the_same_result(
            (kind, log) in carried(), piece in 1..2000_usize,
        ) {
            let layout = layout(kind);
            let (lines, _) = read(layout, &log, piece);
            prop_assert_eq!(lines, drawn(layout, &log));
        }

        #[test]
        fn a_sieve_keeps_the_wanted_lines(
            log in logs(), piece in 1..2000_usize, around in 0..3_usize,
            pattern in prop_oneof![4 => "[a-z]{1,2}", 1 => Just("^$".to_owned())],
        ) {
            let layout = layout(LayoutKind::Terminal);
            let sieve = Sieve::new(&pattern, false, 1 << 20, around).unwrap();
            let reader = Reader::new(layout, start()).with_sieve(sieve);
            let (lines, _) = read_with(reader, &log, piece);
            let (all, pattern) = (drawn(layout, &log), regex::Regex::new(&pattern).unwrap());
            for (n, found) in all.iter().enumerate().filter(|(_, line)| pattern.is_match(&line.2)) {
                let near = n.saturating_sub(around)..all.len().min(n + around + 1);
                for line in &all[near] {
                    prop_assert!(lines.contains(line), "{line:?}, near {found:?}");
                }
            }
            let mut numbers = lines.iter().map(|line| line.0);
            prop_assert!(numbers.by_ref().is_sorted_by(|one, two| one < two));
            prop_assert!(lines.iter().all(|line| all.contains(line)));
        }
    }
}
