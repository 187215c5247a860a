//! A menu of single-letter choices: what to copy, which signal to send.

use crate::protocol::SessionId;
use crate::tui::keymap::Place;

/// A menu; its entries are the key bindings of its place in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// The place in the table of key bindings.
    pub place: Place,
    /// The jobs that it applies to.
    pub ids: Vec<SessionId>,
}

impl Menu {
    /// The mode name at the bottom left.
    pub fn name(&self) -> &'static str {
        match self.place {
            Place::Copy => "COPY",
            _ => "SIGNAL",
        }
    }
}
