//! FILTER: the list is filtered on each key.

use super::{edit, select};
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;

/// Handles a key in FILTER.
pub(super) fn press(model: &mut Model, key: Key, name: &str) {
    match model.keymap.action(Place::Filter, name) {
        Some(Action::Accept) => model.mode = Mode::Normal,
        Some(Action::Leave) => {
            model.mode = Mode::Normal;
            model.filter.clear();
            model.stale = true;
        }
        Some(Action::Down) => select::step(model, true),
        Some(Action::Up) => select::step(model, false),
        _ => {
            if let Mode::Filter(line) = &mut model.mode
                && edit(&model.keymap, line, key, name)
            {
                model.filter = line.text();
                model.stale = true;
                select::first_match(model);
            }
        }
    }
}
