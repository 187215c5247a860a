//! URLs, in the browser.

use crate::tui::update::Done;

/// Opens a URL.
pub(super) fn open(_url: &str) -> Option<Done> {
    None
}
