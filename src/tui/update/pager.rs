//! What is shown by other programs: the log in the pager, a URL in the browser.

use super::msg::{Cmd, Errand};
use crate::tui::model::Model;

/// Opens the whole log in the pager.
pub(super) fn log(model: &mut Model, cmds: &mut Vec<Cmd>) {
    match model.current_id() {
        Some(id) => cmds.push(Cmd::Errand(Errand::Pager(id.clone()))),
        None => model.note("There is no log to read."),
    }
}

/// Opens the URL of the selected job.
pub(super) fn url(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
