//! Reverse wraparound (modes 45 and 1045 of xterm, from patch 383): BS and CUB that leave a row to the left.

use super::{Core, State};

impl State {
    /// Whether BS and CUB continue in the row above.
    pub(super) fn wraps_back(&self) -> bool {
        self.modes.wrap && (self.modes.reverse_wrap || self.modes.reverse_wrap_extended)
    }

    /// Moves the cursor to the left by `count` columns, over the beginnings of rows. A pending wrap counts as a
    /// column; `wraps_next` is one that the emulator does not know.
    pub(super) fn back(&self, core: &mut Core<'_>, count: u16, wraps_next: bool) {
        let last = self.size.cols() - 1;
        let (mut row, at) = core.cursor();
        let mut col = at.min(last);
        let mut left = count - u16::from(at > last || wraps_next);
        while left > col {
            let Some(above) = self.row_back(core, row) else {
                left = col;
                break;
            };
            left -= col + 1;
            (row, col) = (above, last);
        }
        self.go(core, row, col - left);
    }

    /// The row in which a movement to the left continues that has left `row`.
    fn row_back(&self, core: &mut Core<'_>, row: u16) -> Option<u16> {
        let (top, bottom) = self.margins;
        match self.modes.reverse_wrap_extended {
            true if row == top => Some(bottom),
            true if row == 0 => Some(self.size.rows() - 1),
            true => Some(row - 1),
            false if row == top => None,
            false => {
                let above = row.checked_sub(1)?;
                core.screen().row_wrapped(above).then_some(above)
            }
        }
    }
}
