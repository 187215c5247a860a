//! COPY and SIGNAL: a choice by one letter.

use super::copy as copying;
use super::msg::Cmd;
use super::{signal, verbs};
use crate::tui::keymap::Place;
use crate::tui::model::Model;
use crate::tui::model::menu::Menu;
use crate::tui::model::mode::Mode;

/// Opens the menu of what to copy.
pub(super) fn copy(model: &mut Model) {
    let ids = model.targets();
    if ids.is_empty() {
        model.note("There is no job to copy anything of.");
        return;
    }
    let place = Place::Copy;
    model.mode = Mode::Menu(Menu { place, ids });
}

/// Opens the menu of signals, or tries to kill survivors again.
pub(super) fn signal(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if !verbs::end_survivors(model, cmds) {
        signal::open(model);
    }
}

/// Handles the letter.
pub(super) fn press(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    let Mode::Menu(menu) = std::mem::replace(&mut model.mode, Mode::Normal) else {
        return;
    };
    if menu.place == Place::Signal {
        signal::press(model, menu, name, cmds);
    } else if let Some(action) = model.keymap.action(menu.place, name) {
        copying::chosen(model, &menu.ids, action, cmds);
    } else {
        model.note(format!("No choice on \"{name}\"; nothing was copied."));
    }
}
