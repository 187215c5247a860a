//! Two logs whose lines are aligned, what is visible of them, and the differences between them.

use std::ops::Range;

use crate::protocol::SessionId;
use crate::protocol::reply::LogLines;
use crate::term::align::{Pair, align};
use crate::term::sanitize::clean;

/// Columns by which a key moves long lines.
pub const PAN: usize = 8;

/// The mode: two logs side by side.
#[derive(Clone, Debug)]
pub struct Compare {
    /// The two logs.
    pub sides: [Side; 2],
    /// Their lines beside each other; empty until both have arrived.
    pub pairs: Vec<Pair>,
    /// The differences: runs of pairs whose lines differ.
    pub differences: Vec<Range<usize>>,
    /// Index of the marked difference.
    pub at: usize,
    /// Index of the first visible pair.
    pub top: usize,
    /// Number of columns by which the lines are shifted to the left.
    pub pan: usize,
}

/// One of the two logs.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its job.
    pub id: SessionId,
    /// Its lines, sanitized; `None` until they have arrived.
    pub lines: Option<Vec<String>>,
    /// Whether older lines were left out.
    pub is_cut: bool,
    /// Whether its lines have been requested and have not arrived.
    pub is_pending: bool,
}

impl Side {
    fn new(id: SessionId) -> Self {
        Self {
            id,
            lines: None,
            is_cut: false,
            is_pending: false,
        }
    }
}

impl Compare {
    /// A comparison of two logs that have to be requested.
    pub fn new(left: SessionId, right: SessionId) -> Self {
        Self {
            sides: [Side::new(left), Side::new(right)],
            pairs: Vec::new(),
            differences: Vec::new(),
            at: 0,
            top: 0,
            pan: 0,
        }
    }

    /// Whether both logs have arrived.
    pub fn is_loaded(&self) -> bool {
        self.sides.iter().all(|side| side.lines.is_some())
    }

    /// Stores the lines of a log; `None` if it could not be read. With both, aligns them and goes to the
    /// first difference. `height` is the number of visible pairs.
    pub fn receive(&mut self, id: &SessionId, read: Option<LogLines>, height: usize) {
        let Some(side) = self.sides.iter_mut().find(|side| side.id == *id) else {
            return;
        };
        side.is_pending = false;
        side.is_cut = read.as_ref().is_some_and(|read| {
            let first = read.lines.first();
            first.is_some_and(|line| line.n > read.first_line)
        });
        let lines = read.map(|read| read.lines).unwrap_or_default();
        let mut lines: Vec<String> = lines.iter().map(|line| clean(&line.text)).collect();
        // The rows below the cursor.
        while lines.pop_if(|line| line.trim().is_empty()).is_some() {}
        side.lines = Some(lines);
        let [Some(left), Some(right)] = self.sides.each_ref().map(|side| side.lines.as_deref())
        else {
            return;
        };
        self.pairs = align(left, right);
        self.differences = differences(&self.pairs);
        self.pan = 0;
        self.top = 0;
        self.go(0, height);
    }

    /// Marks a difference, and shows it with some of the lines above it.
    pub fn go(&mut self, to: usize, height: usize) {
        self.at = to.min(self.differences.len().saturating_sub(1));
        if let Some(difference) = self.differences.get(self.at) {
            self.top = difference.start.saturating_sub(height / 3);
        }
        self.scroll(0, height);
    }

    /// Goes to the next difference, or to the previous one.
    pub fn step(&mut self, down: bool, height: usize) {
        let to = if down {
            self.at + 1
        } else {
            self.at.saturating_sub(1)
        };
        self.go(to, height);
    }

    /// Scrolls by `rows`, positive downwards.
    pub fn scroll(&mut self, rows: isize, height: usize) {
        let last = self.pairs.len().saturating_sub(height);
        self.top = self.top.saturating_add_signed(rows).min(last);
    }

    /// Whether a pair belongs to the marked difference.
    pub fn is_marked(&self, pair: usize) -> bool {
        let marked = self.differences.get(self.at);
        marked.is_some_and(|difference| difference.contains(&pair))
    }
}

fn differences(pairs: &[Pair]) -> Vec<Range<usize>> {
    let mut at = 0;
    let runs = pairs.chunk_by(|one, next| one.is_equal == next.is_equal);
    runs.filter_map(|run| {
        let start = at;
        at += run.len();
        let differs = run.first().is_some_and(|pair| !pair.is_equal);
        differs.then_some(start..at)
    })
    .collect()
}
