//! What is shown by other programs: the log in the pager, a URL in the browser.

use super::msg::Cmd;
use crate::tui::model::Model;

/// Opens the whole log in the pager.
pub(super) fn log(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Opens the URL of the selected job.
pub(super) fn url(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
