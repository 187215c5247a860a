//! HELP: letters filter the page, arrows scroll it.

use crate::term::keyparse::{Key, KeyCode};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;
use crate::tui::view::help;

/// Handles a key in HELP.
pub(super) fn press(model: &mut Model, key: Key, name: &str) {
    let page = help::page(model);
    let action = model.keymap.action(Place::Help, name);
    let Mode::Help(state) = &mut model.mode else {
        return;
    };
    let last = page.lines.saturating_sub(page.height);
    match action {
        Some(Action::LineDown) => state.top = (state.top + 1).min(last),
        Some(Action::LineUp) => state.top = state.top.min(last).saturating_sub(1),
        Some(Action::PageDown) => state.top = (state.top + page.height).min(last),
        Some(Action::PageUp) => state.top = state.top.saturating_sub(page.height),
        // While a filter is typed, `q` and `?` are ordinary letters.
        Some(Action::Leave) if name.chars().count() > 1 || state.filter.is_empty() => {
            model.mode = Mode::Normal;
        }
        _ => {
            match key.code {
                KeyCode::Char(c) if !key.ctrl && !key.alt => state.filter.push(c),
                KeyCode::Backspace => {
                    state.filter.pop();
                }
                _ => return,
            }
            state.top = 0;
        }
    }
}
