//! Places to resume from.
//!
//! A mark is made where a newline has begun a line and everything else is as on a blank window. It cuts the window
//! in two: rows above belong to earlier lines, rows from there on to later ones. As long as nothing reaches above
//! the cut, rendering from the mark goes as the full pass goes; once the line has scrolled away nothing can, and
//! the mark is handed out.

use std::collections::VecDeque;

use super::Checkpoint;

/// Bytes between two checkpoints, about.
pub const EVERY: u64 = 16 << 10;

/// A mark that may still turn out to be none.
#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: u64,
    line: u64,
    row: u16,
    /// Window row of the cut now.
    cut: usize,
}

/// Makes marks, follows them and hands out what they became.
#[derive(Debug)]
pub struct Marks {
    /// Bytes between two checkpoints.
    pub every: u64,
    /// In order; the cuts are in the same order.
    pending: VecDeque<Mark>,
    found: Vec<Checkpoint>,
    /// Offset of the last checkpoint that was handed out.
    last: u64,
}

impl Marks {
    /// No marks yet, at absolute offset `start`.
    pub fn new(start: u64) -> Self {
        Self {
            every: EVERY,
            pending: VecDeque::new(),
            found: Vec::new(),
            last: start,
        }
    }

    /// Whether a mark at `offset` is wanted.
    pub fn due(&self, offset: u64) -> bool {
        offset >= self.newest() + self.every
    }

    /// Whether there has been no place for a mark for too long.
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

    /// Hands out a place where only offset and screen are known.
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

    /// Something reached window row `row`: marks below it are none.
    pub fn reach(&mut self, row: usize) {
        while self.pending.back().is_some_and(|mark| mark.cut > row) {
            self.pending.pop_back();
        }
    }

    /// The rows from the top of the window to `bottom` have scrolled up by one.
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

    /// Takes the checkpoints found since the last call, in order of their offsets.
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
