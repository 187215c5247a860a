//! The beginning of the output that is kept, and the number of its first line.
//!
//! Line numbers are permanent. So before the beginning of a log is forgotten, the number of the
//! first line that is left is determined: from the next checkpoint and the lines before that, or, if
//! the dropped bytes were never rendered, from the number of their newlines, which the keeper has
//! counted.

use super::line_counter::LineCounter;
use super::output::Output;
use crate::term::plain::Checkpoint;

/// Counts the lines between the new beginning of a log and the next place with a known number.
pub struct FirstLine {
    first: u64,
    known: Checkpoint,
    lines: LineCounter,
    /// Offset of the first byte that was fed.
    begin: Option<u64>,
}

impl FirstLine {
    /// The bytes that have to be fed.
    pub fn wanted(&self) -> std::ops::Range<u64> {
        self.first..self.known.offset
    }

    /// Counts the lines in bytes of [`Self::wanted`], which begin at `offset`.
    pub fn feed(&mut self, output: &Output, offset: u64, bytes: &[u8]) {
        self.begin.get_or_insert(offset);
        for (layout, part) in output.layouts().parts(offset, bytes) {
            let lines = self.lines.renderer(layout);
            lines.resize(layout.size);
            lines.feed(part);
        }
    }

    /// The place where the first line begins.
    pub fn place(&self) -> Checkpoint {
        let between = match self.begin {
            Some(_) => self.lines.next_line() - 1,
            None => 0,
        };
        Checkpoint {
            offset: self.begin.unwrap_or(self.known.offset),
            line: self.known.line.saturating_sub(between).max(1),
            row: 0,
            alt: self.lines.starts_alt(),
            exact: true,
        }
    }
}

impl Output {
    /// Prepares for dropping the bytes before `first`, which is at most [`Output::end`].
    pub fn first_line_at(&self, first: u64) -> FirstLine {
        let known = self.checkpoints.after(first).unwrap_or(Checkpoint {
            offset: self.end,
            line: self.next_line(),
            row: 0,
            alt: self.lines.alt_screen(),
            exact: true,
        });
        let before = self.checkpoints.before(first);
        let alt = before.is_some_and(|before| before.alt);
        let lines = LineCounter::from(Checkpoint::on(first, alt));
        FirstLine {
            first,
            known,
            lines,
            begin: None,
        }
    }

    /// Bytes before `first` are no longer kept; they had `newlines` newlines, if that is known.
    pub fn drop_before(&mut self, first: &FirstLine, newlines: Option<u64>) {
        let place = first.place();
        self.first = first.first;
        self.checkpoints.drop_before(place.offset);
        if self.checkpoints.first().map(|at| at.offset) != Some(place.offset) {
            self.checkpoints.insert(place);
        }
        self.newlines_before = newlines.filter(|_| place.offset == first.first);
    }

    /// Bytes before `first`, which is after [`Output::end`], are no longer kept. They had
    /// `newlines` newlines, if that is known.
    pub fn skip_dropped(&mut self, first: u64, newlines: Option<u64>) {
        let missed = match newlines {
            // Newlines on the alternate screen make no lines.
            Some(newlines) if !self.lines.alt_screen() => newlines.saturating_sub(self.newlines),
            _ => 0,
        };
        let at = Checkpoint {
            offset: first,
            line: self.next_line() + missed,
            row: 0,
            alt: self.lines.alt_screen(),
            exact: true,
        };
        self.newlines = newlines.unwrap_or(self.newlines);
        self.newlines_before = newlines;
        self.start_at(at);
    }

    /// Starts at `offset`, whose byte belongs to line number `line`, because earlier output, which
    /// had `newlines` newlines, is no longer kept. Call this before anything is fed.
    pub fn begin_at(&mut self, offset: u64, line: u64, newlines: Option<u64>) {
        self.newlines = newlines.unwrap_or(0);
        self.newlines_before = newlines;
        self.start_at(Checkpoint {
            offset,
            line: line.max(1),
            row: 0,
            alt: false,
            exact: true,
        });
    }

    fn start_at(&mut self, at: Checkpoint) {
        self.lines = LineCounter::from(at);
        self.checkpoints = Default::default();
        self.checkpoints.push(at);
        self.first = at.offset;
        self.end = at.offset;
    }

    /// The first place from which lines can be read.
    pub fn beginning(&self) -> Checkpoint {
        let first = Checkpoint {
            exact: true,
            ..Checkpoint::at(self.first)
        };
        match (self.first, self.checkpoints.first()) {
            (0, _) | (_, None) => first,
            (_, Some(at)) => Checkpoint { row: 0, ..at },
        }
    }

    /// Number of the first line that is kept.
    pub fn first_line(&self) -> u64 {
        self.beginning().line
    }

    /// Offset of [`Self::first_line`], which may be after the first byte that is kept; `None` if
    /// nothing was dropped.
    pub fn first_line_offset(&self) -> Option<u64> {
        (self.first > 0).then(|| self.beginning().offset)
    }

    /// Number of newlines in the bytes so far.
    pub fn newlines(&self) -> u64 {
        self.newlines
    }

    /// Number of newlines before [`Self::first_line_offset`], if it is known.
    pub fn newlines_before(&self) -> Option<u64> {
        self.newlines_before.filter(|_| self.first > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Now;
    use crate::protocol::Timestamp;
    use crate::protocol::status::Mode;
    use crate::term::size::Size;

    const NOW: Now = Now {
        boot: 0,
        wall: Timestamp(0),
    };

    /// The numbers from 1 to `last`, one a line.
    fn numbers(last: u64, mode: Mode) -> Vec<u8> {
        let end = match mode {
            Mode::Pty => "\r\n",
            Mode::Pipe => "\n",
        };
        (1..=last)
            .map(|n| format!("{n}{end}"))
            .collect::<String>()
            .into()
    }

    fn newlines(bytes: &[u8]) -> u64 {
        memchr::memchr_iter(b'\n', bytes).count() as u64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Wherever the log is cut, before or after the bytes are rendered, line k is the number k.
        #[test]
        fn lines_keep_their_numbers_when_the_beginning_is_dropped(
            pipe: bool, fed in 0..100_000_usize, cut in 1..100_000_usize, last in 2..20_000_u64,
        ) {
            let mode = if pipe { Mode::Pipe } else { Mode::Pty };
            let bytes = numbers(last, mode);
            let (fed, cut) = (fed.min(bytes.len()), cut.min(bytes.len()));
            let mut output = Output::new(mode, Size::new(24, 80));
            output.catch_up(&bytes[..fed], usize::MAX, NOW);
            let (first, before) = (cut as u64, newlines(&bytes[..cut]));
            if cut <= fed {
                let mut lines = output.first_line_at(first);
                let wanted = usize::try_from(lines.wanted().end).unwrap_or_default();
                lines.feed(&output, first, &bytes[cut..wanted]);
                output.drop_before(&lines, Some(before));
            } else {
                output.skip_dropped(first, Some(before));
            }
            let end = usize::try_from(output.end()).unwrap_or_default();
            output.catch_up(&bytes[end..], usize::MAX, NOW);
            let at = output.beginning();
            prop_assert_eq!((at.offset, at.line), (first, before + 1));
            prop_assert_eq!(output.total_lines(), last);
            prop_assert_eq!(output.newlines(), last);
            prop_assert_eq!(output.newlines_before(), Some(before));
            for at in output.checkpoints().iter() {
                let offset = usize::try_from(at.offset).unwrap_or_default();
                prop_assert_eq!(at.line, newlines(&bytes[..offset]) + 1);
            }
        }
    }
}
