//! What is copied, and how it is said.

use super::msg::Cmd;
use crate::tui::model::Model;

/// Copies the report of a job that failed.
pub(super) fn report(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
