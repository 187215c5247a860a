//! MESSAGES: what was said so far.

use super::msg::{Cmd, Errand};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;
use crate::tui::model::page::{Page, Subject};
use crate::tui::view::messages;

/// Opens the page.
pub(super) fn open(model: &mut Model) {
    model.mode = Mode::Page(Box::new(Page {
        subject: Subject::Messages,
        top: 0,
    }));
}

/// Takes a key.
pub(super) fn press(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    let (width, height) = model.window;
    // Without the top line, the status line and the hints.
    let height = usize::from(height).saturating_sub(3).max(1);
    let last = messages::height(model, width).saturating_sub(height);
    let action = model.keymap.action(Place::Page, name);
    if action == Some(Action::Copy) {
        let text = messages::text(model);
        cmds.push(Cmd::Errand(Errand::Copy(text, "the messages".to_owned())));
        return;
    }
    let Mode::Page(page) = &mut model.mode else {
        return;
    };
    page.top = match action {
        Some(Action::LineDown) => (page.top + 1).min(last),
        Some(Action::LineUp) => page.top.saturating_sub(1),
        Some(Action::PageDown) => (page.top + height).min(last),
        Some(Action::PageUp) => page.top.saturating_sub(height),
        Some(Action::Top) => 0,
        Some(Action::Last) => last,
        Some(Action::Leave) => {
            model.mode = Mode::Normal;
            return;
        }
        _ => page.top,
    };
}
