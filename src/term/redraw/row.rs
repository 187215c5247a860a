//! The visible parts of a row's painting.

use crate::term::pen::Pen;

/// Maximum number of visits kept per row.
const MAX_VISITS: usize = 64;

/// A stay of the cursor in a row without a jump. The bytes from `start` to `end` were read during
/// it.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The column in which it began.
    pub(super) col: u16,
    /// The columns whose content it determines, whatever they contained before.
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) pen: Pen,
    /// Whether it has written text.
    pub(super) wrote: bool,
    /// Whether it has written only ASCII.
    pub(super) ascii: bool,
    /// Whether it determined the last of its columns by erasing. The row then no longer wraps.
    pub(super) erased: bool,
    /// Whether it depends on the previous content of the row, or affects other cells of the row.
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

    /// Whether this visit completely hides `before`, in a row of ASCII.
    fn hides(&self, before: &Self) -> bool {
        self.from <= before.from
            && before.to <= self.to
            && (self.erased || !before.erased)
            && (self.wrote || !before.wrote)
            && !before.other
    }
}

/// The painting of a row.
#[derive(Clone, Default)]
pub(super) struct Row {
    /// Position in the bytes, and attributes, of the last erasure of the whole row from another
    /// row.
    pub(super) erased: Option<(usize, Pen)>,
    /// The visible visits, in order.
    pub(super) visits: Vec<Visit>,
    /// Whether text was written that is no longer visible.
    pub(super) written: bool,
    /// Whether the row contains only ASCII and no cells were moved.
    pub(super) ascii: bool,
}

impl Row {
    /// Drops all visits, because the whole row was erased or overwritten.
    pub(super) fn forget(&mut self) {
        self.written |= self.visits.iter().any(|visit| visit.wrote);
        self.visits.clear();
        self.erased = None;
    }

    /// Adds a finished visit and drops the visits that it hides; `None` if there are too many.
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
