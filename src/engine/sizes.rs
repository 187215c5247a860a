//! The sizes that a session's terminal has had, and the output offset at which each began. Output
//! is replayed at the size for which it was painted.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::term::size::Size;

/// Maximum number of changes kept. Beyond it the oldest are dropped, and earlier output counts as
/// painted at the oldest known size.
const MAX: usize = 256;

/// The sizes, oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sizes(Vec<Change>);

/// A change of size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// Offset of the first byte at this size.
    pub offset: u64,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
}

impl Change {
    /// The new size.
    pub fn size(self) -> Size {
        Size::new(self.rows, self.cols)
    }
}

impl Sizes {
    /// A terminal that has had one size.
    pub fn new(size: Size) -> Self {
        let mut sizes = Self::default();
        sizes.push(0, size);
        sizes
    }

    /// Whether the size has never changed. Then nothing needs to be saved.
    pub fn is_constant(&self) -> bool {
        self.0.len() < 2
    }

    /// What to save: nothing if the size has never changed.
    #[must_use]
    pub fn kept(&self) -> Self {
        if self.is_constant() {
            Self::default()
        } else {
            self.clone()
        }
    }

    /// Records a new size from `offset` on.
    pub fn push(&mut self, offset: u64, size: Size) {
        // While a new daemon replays earlier output, later changes are already known.
        let offset = self.0.last().map_or(offset, |last| offset.max(last.offset));
        // Only the last of several changes without output in between counts.
        self.0.retain(|change| change.offset < offset);
        if self.0.last().is_some_and(|last| last.size() == size) {
            return;
        }
        if self.0.len() == MAX {
            self.0.remove(0);
        }
        self.0.push(Change {
            offset,
            rows: size.rows(),
            cols: size.cols(),
        });
    }

    /// The size for the byte at `offset`.
    pub fn at(&self, offset: u64) -> Option<Size> {
        let before = self.0.iter().rev().find(|change| change.offset <= offset);
        before.or(self.0.first()).map(|change| change.size())
    }

    /// Offset of the first change after `offset`; the largest number if there is none.
    pub fn until(&self, offset: u64) -> u64 {
        let after = self.0.iter().rev().map(|change| change.offset);
        after
            .take_while(|at| *at > offset)
            .last()
            .unwrap_or(u64::MAX)
    }

    /// The change at exactly `offset`.
    pub fn change_at(&self, offset: u64) -> Option<Change> {
        let mut changes = self.0.iter().rev();
        changes.find(|change| change.offset == offset).copied()
    }

    /// The changes within a range, except one at its very start.
    pub fn within(&self, range: Range<u64>) -> Vec<Change> {
        let inside = |change: &&Change| change.offset > range.start && change.offset < range.end;
        self.0.iter().filter(inside).copied().collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_the_size_for_which_it_was_painted() {
        let mut sizes = Sizes::new(Size::new(40, 120));
        sizes.push(100, Size::new(24, 80));
        sizes.push(100, Size::new(12, 40));
        sizes.push(200, Size::new(12, 40));
        sizes.push(300, Size::new(40, 120));
        let cols = |at| sizes.at(at).unwrap().cols();
        assert_eq!([0, 99, 100, 250, 300].map(cols), [120, 120, 40, 40, 120]);
        let changes = sizes.within(100..301);
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].offset, 300);
    }

    #[test]
    fn the_number_of_changes_is_bounded() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.at(0), None);
        for n in 0..1000 {
            sizes.push(u64::from(n), Size::new(10 + n % 2, 80));
        }
        assert_eq!(sizes.0.len(), MAX);
        assert!(sizes.at(0).is_some());
    }
}
