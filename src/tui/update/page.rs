//! DETAILS and MESSAGES: reading a page.

use super::msg::Cmd;
use crate::tui::model::Model;

/// Opens all about the selected job.
pub(super) fn details(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Takes a key.
pub(super) fn press(model: &mut Model, _name: &str, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
