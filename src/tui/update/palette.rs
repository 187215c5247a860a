//! PROMPT: commands by their names.

use super::msg::Cmd;
use crate::term::keyparse::Input;
use crate::term::keyparse::Key;
use crate::tui::model::Model;

/// Opens the palette.
pub(super) fn open(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Takes a key.
pub(super) fn press(
    model: &mut Model,
    _key: Key,
    _name: &str,
    _input: &Input,
    _cmds: &mut Vec<Cmd>,
) {
    model.note("This is not built yet.");
}
