//! Removing with a way back.

use super::msg::Cmd;
use crate::tui::model::Model;

/// Puts back what was removed last.
pub(super) fn undo(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Asks before all ended jobs are removed.
pub(super) fn remove_ended(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
