//! What still shows of what was painted on one row.

use crate::term::pen::Pen;

/// Visits kept of one row at most.
const MAX_VISITS: usize = 64;

/// The cursor in a row without a jump: the bytes from `start` to `end` have been read meanwhile.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The column in which it began.
    pub(super) col: u16,
    /// The columns that it has determined, whatever was there before.
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) pen: Pen,
    /// It has written something.
    pub(super) wrote: bool,
    /// It has written nothing but ASCII.
    pub(super) ascii: bool,
    /// The last of them by erasing, after which a row goes on nowhere.
    pub(super) erased: bool,
    /// It did something that depends on what was in the row, or has an effect elsewhere in it.
    pub(super) other: bool,
}

impl Visit {
    pub(super) fn new(start: usize, col: u16, pen: Pen) -> Self {
        Self {
            start,
            end: start,
            col,
            from: col,
            to: col,
            pen,
            wrote: false,
            ascii: true,
            erased: false,
            other: false,
        }
    }

    /// Whether nothing shows of `before` in a row of ASCII, which this visit has not changed.
    fn hides(&self, before: &Self) -> bool {
        self.from <= before.from
            && before.to <= self.to
            && (self.erased || !before.erased)
            && (self.wrote || !before.wrote)
            && !before.other
    }
}

/// What has happened to a row.
#[derive(Clone, Default)]
pub(super) struct Row {
    /// Where in the bytes, and with what, all of it was erased from another row.
    pub(super) erased: Option<(usize, Pen)>,
    /// What still shows, in order.
    pub(super) visits: Vec<Visit>,
    /// Something was written there that does not show any more.
    pub(super) written: bool,
    /// There is nothing but ASCII on it, and no cells were moved.
    pub(super) ascii: bool,
}

impl Row {
    /// All of it is erased or overwritten now.
    pub(super) fn forget(&mut self) {
        self.written |= self.visits.iter().any(|visit| visit.wrote);
        self.visits.clear();
        self.erased = None;
    }

    /// Keeps a visit that ends, and drops what it has put out of sight; `None` if it has become too much.
    pub(super) fn keep(&mut self, visit: Visit) -> Option<()> {
        if !visit.wrote && !visit.erased && !visit.other {
            return Some(());
        }
        if visit.erased && visit.from == 0 {
            self.forget();
            self.ascii = visit.ascii;
        } else if self.ascii && visit.ascii && !visit.other {
            self.visits.retain(|before| !visit.hides(before));
        }
        self.ascii &= visit.ascii && !visit.other;
        (self.visits.len() < MAX_VISITS).then_some(())?;
        self.visits.push(visit);
        Some(())
    }
}
