//! The mouse: whose it is, and what it is in the middle of.

use super::Selected;
use super::scroll::place::Place;

/// Within so many milliseconds a second click on the same place is a double click: what desktops have.
const DOUBLE_MS: i64 = 400;

/// The mouse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// Whether the terminal leaves it to us.
    pub is_ours: bool,
    /// A button is held that went down in the pane.
    pub held: Option<Held>,
    /// The last click: when, where, and how many came in a row.
    last: Option<(i64, (u16, u16), u32)>,
    /// The row of the list that was clicked last: another click on it opens it.
    pub clicked: Option<Selected>,
    /// The list was moved by the wheel while the cursor was on this row, and follows it no more until that moves.
    pub list_held_at: Option<usize>,
}

/// What a held button does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// It selects from here on, once it is moved.
    Selects(Place),
    /// What it does is the job's business.
    Jobs,
}

impl Pointer {
    /// A mouse that is ours, or the terminal's.
    pub fn new(is_ours: bool) -> Self {
        Self {
            is_ours,
            held: None,
            last: None,
            clicked: None,
            list_held_at: None,
        }
    }

    /// Takes in a click; gives how many it makes in a row at that place.
    pub fn click(&mut self, now: i64, at: (u16, u16)) -> u32 {
        let count = match self.last {
            Some((then, place, count)) if place == at && now - then <= DOUBLE_MS => count + 1,
            _ => 1,
        };
        self.last = Some((now, at, count));
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_count_where_and_while_they_belong_together() {
        let mut pointer = Pointer::new(true);
        assert_eq!(pointer.click(0, (3, 3)), 1);
        assert_eq!(pointer.click(400, (3, 3)), 2);
        assert_eq!(pointer.click(500, (3, 3)), 3);
        assert_eq!(pointer.click(550, (4, 3)), 1);
        assert_eq!(pointer.click(951, (4, 3)), 1);
    }
}
