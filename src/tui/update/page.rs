//! DETAILS and MESSAGES: reading a page.

use super::messages;
use super::msg::Cmd;
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;
use crate::tui::model::page::Subject;

/// Opens all about the selected job.
pub(super) fn details(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Takes a key.
pub(super) fn press(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    if matches!(&model.mode, Mode::Page(page) if page.subject == Subject::Messages) {
        messages::press(model, name, cmds);
        return;
    }
    model.note("This is not built yet.");
}
