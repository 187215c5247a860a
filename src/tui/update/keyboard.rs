//! Who has the keyboard of a job.

use super::msg::Cmd;
use crate::tui::model::Model;

/// Takes it from agents, or gives it back.
pub(super) fn take(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
