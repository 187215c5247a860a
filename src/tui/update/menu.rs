//! COPY and SIGNAL: a choice by one letter.

use super::msg::Cmd;
use super::verbs;
use crate::tui::model::Model;

/// Asks what to copy.
pub(super) fn copy(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Asks which signal to send, or ends survivors once more.
pub(super) fn signal(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if verbs::end_survivors(model, cmds) {
        return;
    }
    model.note("This is not built yet.");
}

/// Takes the letter.
pub(super) fn press(model: &mut Model, _name: &str, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}
