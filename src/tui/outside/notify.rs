//! Those who look at something else: notifications, and the title of the window.

use std::io;

use crate::tui::terminal::Terminal;
use crate::tui::update::Done;

/// Tells a person who is looking at something else.
pub(super) fn notify(
    _title: &str,
    _text: &str,
    _terminal: &mut Terminal,
) -> io::Result<Option<Done>> {
    Ok(None)
}

/// Calls the window so.
pub(super) fn title(_title: &str, _terminal: &mut Terminal) -> io::Result<Option<Done>> {
    Ok(None)
}
