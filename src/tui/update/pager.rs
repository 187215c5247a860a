//! What is shown by another program: the log in the pager.

use super::msg::Cmd;
use crate::tui::model::Model;

/// Opens the whole log in the pager.
pub(super) fn log(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
