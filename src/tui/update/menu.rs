//! COPY and SIGNAL: a choice by one letter.

use super::msg::Cmd;
use super::signal;
use crate::tui::keymap::Place;
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;

/// Asks what to copy.
pub(super) fn copy(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Asks which signal to send, or ends survivors once more.
pub(super) fn signal(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    signal::open(model);
}

/// Takes the letter.
pub(super) fn press(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    let Mode::Menu(menu) = std::mem::replace(&mut model.mode, Mode::Normal) else {
        return;
    };
    if menu.place == Place::Signal {
        signal::press(model, menu, name, cmds);
    } else {
        model.note("This is not built yet.");
    }
}
