//! State of the mouse: whether the dashboard or the terminal uses it, and the drag in progress.

use super::Selected;

/// Maximum time between the clicks of a double click, in milliseconds; the usual value on desktops.
const DOUBLE_MS: i64 = 400;

/// The mouse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// Whether the dashboard handles the mouse, instead of the terminal.
    pub is_ours: bool,
    /// Set while a button that was pressed in the pane is held.
    pub held: Option<Held>,
    /// The last click: its time, its position, and the number of clicks in a row.
    last: Option<(i64, (u16, u16), u32)>,
    /// The row of the list that was clicked last; a second click on it opens it.
    pub clicked: Option<Selected>,
    /// The selected row at the time when the wheel scrolled the list. The list does not follow the
    /// selection again until the selection moves.
    pub list_held_at: Option<usize>,
}

/// What a held button does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// It selects text from the place on where it was pressed, once the mouse moves.
    Selects,
    /// Its events are sent to the job.
    Jobs,
    /// It moves the divider between list and pane.
    Divider,
    /// It was pressed in the pane of a group, where nothing is selected.
    Group,
}

impl Pointer {
    /// Initial state; `is_ours` says whether the dashboard handles the mouse.
    pub fn new(is_ours: bool) -> Self {
        Self {
            is_ours,
            held: None,
            last: None,
            clicked: None,
            list_held_at: None,
        }
    }

    /// Handles a click; returns how many clicks in a row happened at that position.
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
    fn counts_clicks_at_one_position_within_the_interval() {
        let mut pointer = Pointer::new(true);
        assert_eq!(pointer.click(0, (3, 3)), 1);
        assert_eq!(pointer.click(400, (3, 3)), 2);
        assert_eq!(pointer.click(500, (3, 3)), 3);
        assert_eq!(pointer.click(550, (4, 3)), 1);
        assert_eq!(pointer.click(951, (4, 3)), 1);
    }
}
