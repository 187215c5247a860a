//! Closing the view and stopping jobs.

use super::msg::Cmd;
use crate::tui::model::Model;

/// Asks what to stop.
pub(super) fn ask(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
