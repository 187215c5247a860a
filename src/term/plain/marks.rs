//! Finds places where rendering can be resumed.
//!
//! A mark is made where a newline has begun a line and all other state is that of a blank window.
//! It cuts the window in two: rows above the cut belong to earlier lines, and rows below it to
//! later ones. As long as nothing reaches above the cut, rendering from the mark gives the same
//! result as rendering from the beginning. Once the line has scrolled off, nothing can reach above
//! it, and the mark becomes a checkpoint.

use std::collections::VecDeque;

use super::Checkpoint;

/// Approximate number of bytes between two checkpoints.
pub const EVERY: u64 = 16 << 10;

/// A mark that may still become invalid.
#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: u64,
    line: u64,
    row: u16,
    /// Current window row of the cut.
    cut: usize,
}

/// Makes and tracks marks, and turns them into checkpoints.
#[derive(Debug)]
pub struct Marks {
    /// Approximate number of bytes between two checkpoints.
    pub every: u64,
    /// Sorted by offset; the cuts are in the same order.
    pending: VecDeque<Mark>,
    found: Vec<Checkpoint>,
    /// Offset of the last checkpoint.
    last: u64,
}

impl Marks {
    /// Creates an empty set of marks at absolute offset `start`.
    pub fn new(start: u64) -> Self {
        Self {
            every: EVERY,
            pending: VecDeque::new(),
            found: Vec::new(),
            last: start,
        }
    }

    /// Whether a mark at `offset` is due.
    pub fn due(&self, offset: u64) -> bool {
        offset >= self.newest() + self.every
    }

    /// Whether no place for a mark has been found for too long.
    pub fn overdue(&self, offset: u64) -> bool {
        offset >= self.newest() + 2 * self.every
    }

    /// Marks the beginning of line `line` at window row `row`.
    pub fn mark(&mut self, offset: u64, line: u64, row: u16) {
        self.pending.push_back(Mark {
            offset,
            line,
            row,
            cut: usize::from(row),
        });
    }

    /// Adds an inexact checkpoint, for which only the offset and the active screen are known.
    pub fn inexact(&mut self, offset: u64, line: u64, alt: bool) {
        self.last = offset;
        self.found.push(Checkpoint {
            offset,
            line,
            row: 0,
            alt,
            exact: false,
        });
    }

    /// Records that a change reached window row `row`. Marks below it become invalid.
    pub fn reach(&mut self, row: usize) {
        while self.pending.back().is_some_and(|mark| mark.cut > row) {
            self.pending.pop_back();
        }
    }

    /// Records that the rows from the top of the window to `bottom` have scrolled up by one.
    pub fn scrolled(&mut self, bottom: usize) {
        if self.pending.is_empty() {
            return;
        }
        self.reach(bottom);
        while let Some(&mark) = self.pending.front().filter(|mark| mark.cut == 0) {
            self.pending.pop_front();
            self.last = self.last.max(mark.offset);
            let Mark {
                offset, line, row, ..
            } = mark;
            self.found.push(Checkpoint {
                offset,
                line,
                row,
                alt: false,
                exact: true,
            });
        }
        self.pending.iter_mut().for_each(|mark| mark.cut -= 1);
    }

    /// Drops the marks that may still become invalid, because the rows are laid out anew.
    pub fn drop_pending(&mut self) {
        self.pending.clear();
    }

    /// Takes the checkpoints found since the last call, sorted by offset.
    pub fn take(&mut self) -> Vec<Checkpoint> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|checkpoint| checkpoint.offset);
        found
    }

    fn newest(&self) -> u64 {
        self.pending
            .back()
            .map_or(self.last, |mark| mark.offset.max(self.last))
    }
}
