//! Shows the log in the pager, an external program.

use super::msg::{Cmd, Errand};
use crate::tui::model::Model;

/// Opens the whole log in the pager.
pub(super) fn log(model: &mut Model, cmds: &mut Vec<Cmd>) {
    match model.current_id() {
        Some(id) => cmds.push(Cmd::Errand(Errand::Pager(id.clone()))),
        None => model.note("There is no log to read."),
    }
}
