//! A log in the pager.

use std::io;

use crate::protocol::SessionId;
use crate::tui::terminal::Terminal;
use crate::tui::update::Done;

/// Shows the whole log of a session.
pub(super) fn show(_id: &SessionId, _terminal: &mut Terminal) -> io::Result<Option<Done>> {
    Ok(None)
}
