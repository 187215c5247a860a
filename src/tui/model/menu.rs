//! A choice by one letter: what to copy, which signal to send.

use crate::protocol::SessionId;
use crate::tui::keymap::Place;

/// A menu; its lines are those of its place in the table of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// Which lines.
    pub place: Place,
    /// The jobs it is about.
    pub ids: Vec<SessionId>,
}

impl Menu {
    /// What stands at the bottom left.
    pub fn name(&self) -> &'static str {
        match self.place {
            Place::Copy => "COPY",
            _ => "SIGNAL",
        }
    }
}
