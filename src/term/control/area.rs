//! Rectangular areas: the parameters that DECRQCRA and the functions that edit areas share.

use crate::term::scan::Csi;

/// A rectangle of cells as a program names it: first and last row and column, counted from 0. An absent top
/// or left is the first, an absent bottom or right is the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// First row.
    pub top: u16,
    /// First column.
    pub left: u16,
    /// Last row.
    pub bottom: u16,
    /// Last column.
    pub right: u16,
}

impl Area {
    /// The area in the four parameters from number `first`: top, left, bottom, right.
    pub(super) fn of(csi: &Csi<'_>, first: usize) -> Self {
        let number = |index, default| csi.number(first + index, default) - 1;
        Self {
            top: number(0, 1),
            left: number(1, 1),
            bottom: number(2, u16::MAX),
            right: number(3, u16::MAX),
        }
    }

    /// The part of it on a screen whose rows are counted from `origin.0` and end at `origin.1`, and which has `cols`
    /// columns; `None` if there is none.
    pub fn on(self, origin: (u16, u16), cols: u16) -> Option<Self> {
        let row = |row: u16| row.saturating_add(origin.0).min(origin.1);
        let area = Self {
            top: row(self.top),
            left: self.left,
            bottom: row(self.bottom),
            right: self.right.min(cols - 1),
        };
        let starts = self.top <= origin.1 - origin.0 && self.left < cols;
        (starts && area.top <= area.bottom && area.left <= area.right).then_some(area)
    }

    /// Its rows.
    pub fn rows(self) -> std::ops::RangeInclusive<u16> {
        self.top..=self.bottom
    }

    /// Its columns.
    pub fn cols(self) -> std::ops::RangeInclusive<u16> {
        self.left..=self.right
    }
}

#[cfg(test)]
mod tests {
    use super::Area;

    #[test]
    fn an_area_is_cut_at_the_edges_and_counts_from_the_origin() {
        let area = |top, left, bottom, right| Area {
            top,
            left,
            bottom,
            right,
        };
        let all = area(0, 0, u16::MAX, u16::MAX);
        assert_eq!(all.on((0, 9), 20), Some(area(0, 0, 9, 19)));
        assert_eq!(all.on((3, 5), 20), Some(area(3, 0, 5, 19)));
        assert_eq!(
            area(1, 2, 1, 2).on((3, 5), 20),
            Some(area(4, 2, 4, 2)),
            "one cell"
        );
        for nothing in [
            area(10, 0, 12, 3),
            area(0, 20, 3, 20),
            area(3, 0, 2, 0),
            area(0, 3, 0, 2),
        ] {
            assert_eq!(nothing.on((0, 9), 20), None, "{nothing:?}");
        }
    }
}
