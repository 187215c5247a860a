//! The mouse.

use super::msg::Cmd;
use crate::term::keyparse::Mouse;
use crate::tui::model::Model;

/// Gives the mouse back to the terminal, or takes it.
pub(super) fn toggle(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Takes what the mouse did.
pub(super) fn take(model: &mut Model, _mouse: Mouse, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
