//! Movement of the cursor, and of the viewport that follows it.

use super::place::{self, Place};
use super::{Move, Scroll};

/// Minimum number of rows above and below a target that one jumps to.
const CONTEXT: usize = 3;

impl Scroll {
    /// Moves by `rows`, positive downwards; returns the rows that could not be moved because the
    /// text ended.
    pub fn go(&mut self, how: Move, rows: isize) -> isize {
        let last = self.count().saturating_sub(1);
        let (top, at) = (self.index(self.top), self.index(self.cursor.row).min(last));
        let to = |from: usize, most: usize| from.saturating_add_signed(rows).min(most);
        let new_top = to(top, self.index(self.max_top()));
        let new_at = match how {
            Move::Cursor | Move::Page => to(at, last),
            Move::View => at
                .clamp(new_top, new_top + self.height().saturating_sub(1))
                .min(last),
        };
        let moved = match how {
            Move::Cursor => new_at.abs_diff(at),
            Move::Page | Move::View => new_top.abs_diff(top),
        };
        if how != Move::Cursor {
            self.top = self.nth(new_top);
        }
        self.cursor.row = self.nth(new_at);
        self.keep_column();
        self.reveal();
        let left = rows.unsigned_abs() - moved.min(rows.unsigned_abs());
        isize::try_from(left).unwrap_or(isize::MAX) * rows.signum()
    }

    /// Moves the cursor to a place with some rows above and below it, as far as there are any.
    pub fn put_in_context(&mut self, place: Place) {
        self.show_all_for(place.row);
        self.put(place);
        let context = CONTEXT.min(self.height().saturating_sub(1) / 2);
        let (at, top) = (self.index(place.row), self.index(self.top));
        let highest = at.saturating_sub(context);
        let lowest = (at + context + 1).saturating_sub(self.height());
        let top = top.clamp(lowest.min(highest), highest);
        self.top = self.nth(top.min(self.index(self.max_top())));
    }

    /// Moves the cursor to a place. If it was not visible, the viewport centres it, so that the
    /// text leading to it shows above.
    pub fn put(&mut self, place: Place) {
        self.cursor = place;
        self.column = place.col;
        let at = self.index(place.row);
        let top = self.index(self.top);
        if at < top || at >= top + self.height() {
            let top = at.saturating_sub(self.height() / 2);
            self.top = self.nth(top.min(self.index(self.max_top())));
        }
        self.reveal();
    }

    /// Moves the cursor within its row; `None` keeps it at the end of rows.
    pub fn to_column(&mut self, column: Option<usize>) {
        self.column = column.unwrap_or(usize::MAX);
        self.keep_column();
        self.reveal();
    }

    /// Moves the cursor by one character.
    pub fn step(&mut self, right: bool) {
        let Some(row) = self.text.rows.get(self.cursor.row) else {
            return;
        };
        let last = row.width().saturating_sub(1);
        let column = if right {
            row.cell_end(self.cursor.col).min(last)
        } else {
            row.cell_start(self.cursor.col.saturating_sub(1))
        };
        self.to_column(Some(column));
    }

    /// Moves the cursor to the next or previous word, in another row if necessary.
    pub fn word(&mut self, forward: bool) {
        let mut at = self.cursor;
        loop {
            let found = if forward {
                place::next_word(&self.text, at)
            } else {
                place::previous_word(&self.text, at)
            };
            if let Some(col) = found {
                self.put(Place { row: at.row, col });
                return;
            }
            // In another row, the first word counts wherever it starts.
            let index = self.index(at.row);
            let next = if forward {
                index + 1
            } else {
                index.wrapping_sub(1)
            };
            if next >= self.count() {
                return;
            }
            at.row = self.nth(next);
            if forward {
                let first = self.text.rows[at.row].text.chars().next();
                if first.is_some_and(|c| !c.is_whitespace()) {
                    self.put(Place {
                        row: at.row,
                        col: 0,
                    });
                    return;
                }
                at.col = 0;
            } else {
                at.col = usize::MAX;
            }
        }
    }

    /// Moves the viewport sideways when long lines are cut.
    pub fn pan(&mut self, right: bool) {
        let step = usize::from(self.display.width() / 2).max(1);
        let widest = self.view().map(|row| self.text.rows[row].width()).max();
        let most = widest
            .unwrap_or(0)
            .saturating_sub(usize::from(self.display.width()));
        self.left = if right {
            (self.left + step).min(most.max(self.left))
        } else {
            self.left.saturating_sub(step)
        };
        let last = self.left + usize::from(self.display.width()) - 1;
        self.column = self.cursor.col.clamp(self.left, last);
        self.keep_column();
    }

    /// Moves the cursor to its preferred column, as far as the row is long enough.
    pub(super) fn keep_column(&mut self) {
        if let Some(row) = self.text.rows.get(self.cursor.row) {
            let last = row.width().saturating_sub(1);
            self.cursor.col = row.cell_start(self.column.min(last));
        }
    }

    /// Scrolls as little as needed to show the cursor.
    pub(super) fn reveal(&mut self) {
        let (at, top) = (self.index(self.cursor.row), self.index(self.top));
        let lowest = (at + 1).saturating_sub(self.height());
        self.top = self.nth(top.clamp(lowest.min(at), at));
        // A row that ends before the viewport must not move the viewport back.
        let column = match self.column {
            usize::MAX => self.cursor.col,
            column => column,
        };
        let first = (column + 1).saturating_sub(usize::from(self.display.width()));
        self.left = self.left.clamp(first, column);
    }
}
