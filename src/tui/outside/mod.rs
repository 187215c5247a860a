//! Effects outside the view and the daemon: clipboard, pager, browser, notifications.

mod copy;
mod history;
pub mod looked;
mod notify;
mod open;
mod pager;
mod program;

use std::io;
use std::sync::mpsc::SyncSender;

use super::terminal::Terminal;
use super::update::{Done, Errand, What};

/// Performs an errand and returns its immediate result. A result that depends on other programs is
/// sent to `later`.
///
/// # Errors
/// If the terminal cannot be written to.
pub fn run(
    errand: Errand,
    terminal: &mut Terminal,
    later: &SyncSender<What>,
) -> io::Result<Option<Done>> {
    match errand {
        Errand::Suggest(dir) => Ok(Some(history::suggest(&dir))),
        Errand::Copy(text, what) => copy::copy(&text, &what, terminal, later),
        Errand::Pager(id) => pager::show(&id, terminal),
        Errand::Open(url) => Ok(open::open(&url)),
        Errand::Notify(title, text, true) => Ok(notify::desktop(&title, &text)),
        Errand::Notify(title, text, false) => notify::notify(&title, &text, terminal),
        Errand::Title(title) => terminal.title(&title).map(|()| None),
        Errand::Mouse(on) => terminal.mouse(on).map(|()| None),
    }
}
