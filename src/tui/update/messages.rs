//! MESSAGES: the message history.

use crate::tui::model::Model;
use crate::tui::model::mode::Mode;
use crate::tui::model::page::{Page, Subject};

/// Opens the page.
pub(super) fn open(model: &mut Model) {
    model.mode = Mode::Page(Box::new(Page {
        subject: Subject::Messages,
        top: 0,
    }));
}
