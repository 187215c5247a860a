//! Tab stops.

use crate::term::size;

/// Distance between the default tab stops, in columns.
const EVERY: u16 = 8;

/// A change of the tab stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TabChange {
    /// HTS: sets a stop at the cursor.
    Set,
    /// TBC 0: clears the stop at the cursor.
    Clear,
    /// TBC 3: clears all stops.
    ClearAll,
}

/// Tab stops of a terminal, stored for the maximum width so that a resize loses none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TabStops {
    /// `None` while they are the default ones.
    own: Option<Vec<bool>>,
}

impl TabStops {
    /// Whether the tab stops are the default ones.
    pub fn standard(&self) -> bool {
        self.own.is_none()
    }

    /// Applies a change while the cursor is in column `col`.
    pub fn apply(&mut self, change: TabChange, col: u16) {
        match change {
            TabChange::Set => self.put(col, true),
            TabChange::Clear => self.put(col, false),
            TabChange::ClearAll => self.own = Some(vec![false; usize::from(size::MAX)]),
        }
    }

    /// The column that is `count` stops to the right of `col`, at most `last`.
    pub fn forward(&self, col: u16, count: u16, last: u16) -> u16 {
        (col.saturating_add(1)..last)
            .filter(|&col| self.at(col))
            .nth(usize::from(count.max(1)) - 1)
            .unwrap_or(last)
    }

    /// The column that is `count` stops to the left of `col`, or the first column.
    pub fn back(&self, col: u16, count: u16) -> u16 {
        (0..col)
            .rev()
            .filter(|&col| self.at(col))
            .nth(usize::from(count.max(1)) - 1)
            .unwrap_or(0)
    }

    fn at(&self, col: u16) -> bool {
        match &self.own {
            None => col.is_multiple_of(EVERY),
            Some(own) => own.get(usize::from(col)).copied().unwrap_or(false),
        }
    }

    fn put(&mut self, col: u16, stop: bool) {
        let own = self.own.get_or_insert_with(|| {
            (0..size::MAX)
                .map(|col| col.is_multiple_of(EVERY))
                .collect()
        });
        if let Some(at) = own.get_mut(usize::from(col)) {
            *at = stop;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_can_be_changed_and_stay_in_range() {
        let mut tabs = TabStops::default();
        assert!(tabs.standard());
        assert_eq!(
            (
                tabs.forward(0, 1, 79),
                tabs.forward(8, 2, 79),
                tabs.forward(77, 1, 79)
            ),
            (8, 24, 79)
        );
        assert_eq!(
            (tabs.back(8, 1), tabs.back(9, 1), tabs.back(30, 9)),
            (0, 8, 0)
        );
        tabs.apply(TabChange::Clear, 8);
        tabs.apply(TabChange::Set, 3);
        assert_eq!((tabs.forward(0, 1, 79), tabs.forward(3, 1, 79)), (3, 16));
        tabs.apply(TabChange::ClearAll, 0);
        assert_eq!(tabs.forward(0, 1, 79), 79);
    }
}
