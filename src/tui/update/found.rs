//! FOUND: what is looked for in all jobs.

use super::msg::Cmd;
use crate::term::keyparse::Key;
use crate::tui::model::Model;

/// Opens the search.
pub(super) fn open(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Takes a key.
pub(super) fn press(model: &mut Model, _key: Key, _name: &str, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
