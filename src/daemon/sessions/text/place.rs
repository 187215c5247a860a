//! The state of the text renderer at an offset of a log.

use std::ops::Range;

use crate::daemon::sessions::text::source::Source;
use crate::term::plain::{Checkpoint, Plain};

/// Farthest distance to a checkpoint from which text is rendered, in bytes. Beyond it, rendering starts after
/// the next newline.
const PRIME: u64 = 1 << 20;

/// The state of the renderer at an offset.
pub(crate) struct Place {
    /// Its line number is too low by the number of newlines in `counted`.
    pub(crate) at: Checkpoint,
    pub(crate) counted: Range<u64>,
}

impl Place {
    /// Number of the line at `offset`, for which the place was looked up; `None` if newlines have to be counted for
    /// it, or if the place is before it, within an escape sequence.
    pub(crate) fn line_at(&self, offset: u64) -> Option<u64> {
        (self.counted.is_empty() && self.at.offset >= offset).then_some(self.at.line)
    }
}

impl Source<'_> {
    /// Whether the alternate screen is on at `offset`, or at the first offset after it for which that is known.
    /// `limit` bounds the search.
    pub(crate) fn alt_at(&self, offset: u64, limit: u64) -> bool {
        let known = self.known_alt(offset);
        known.unwrap_or_else(|| self.place(offset, limit).at.alt)
    }

    /// Whether the alternate screen is on at `offset`, if that has not changed since; otherwise `None`.
    pub(crate) fn known_alt(&self, offset: u64) -> Option<bool> {
        let now = self.output.here();
        let since = self.output.alt_since();
        (since <= offset && offset <= self.output.end()).then_some(now.alt)
    }

    /// The state of the renderer at `offset`, or at the first offset after it for which that is known. `limit`
    /// bounds the search.
    pub(crate) fn place(&self, offset: u64, limit: u64) -> Place {
        if offset == self.output.end() {
            let at = self.output.here();
            return Place { at, counted: 0..0 };
        }
        if let Some(at) = self.output.checkpoints().at(offset) {
            return Place { at, counted: 0..0 };
        }
        let near = self
            .output
            .checkpoints()
            .before(offset)
            .filter(|c| offset - c.offset <= PRIME);
        let first = self.output.first();
        let near = near
            .or_else(|| (offset.saturating_sub(first) <= PRIME).then_some(self.output.beginning()));
        match near {
            Some(checkpoint) => self.advance(checkpoint, offset),
            None => self.next_line(offset, limit),
        }
    }

    /// Runs the renderer from a checkpoint to `offset`.
    fn advance(&self, from: Checkpoint, offset: u64) -> Place {
        let mut at = from;
        if from.offset < offset {
            let layouts = self.output.layouts();
            let mut lines = Plain::resume(layouts.at(from.offset), from);
            lines.set_keep_final(false);
            let (begin, bytes) = self.log.read_all(from.offset, offset);
            for (layout, part) in layouts.parts(begin, &bytes) {
                lines.resize(layout.size);
                lines.feed(part);
            }
            at = Checkpoint {
                offset: lines.clean_offset(),
                line: (lines.total_lines() + u64::from(lines.ends_with_newline())).max(1),
                row: 0,
                alt: lines.alt_screen(),
                exact: false,
            };
        }
        Place { at, counted: 0..0 }
    }

    /// Far from any checkpoint, starts at the beginning of a line. The newlines before it are to be counted,
    /// which is cheaper than rendering them.
    fn next_line(&self, offset: u64, limit: u64) -> Place {
        let (start, bytes) = self.log.read(offset, limit, 64 * 1024);
        let inside = bytes
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let begin = start + inside as u64;
        let known = self.output.checkpoints().before(offset);
        let known = known.unwrap_or_else(|| self.output.beginning());
        let (from, line) = (known.offset, known.line);
        let at = Checkpoint {
            offset: begin,
            line,
            row: 0,
            alt: self.output.alt_screen(),
            exact: false,
        };
        Place {
            at,
            counted: from..begin,
        }
    }
}
