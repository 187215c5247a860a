//! Effects outside the view and the daemon: clipboard, pager, browser, notifications.

mod copy;
mod exec;
mod history;
pub mod left;
mod login;
pub mod looked;
mod notify;
pub mod open;
mod own;
mod pager;
mod program;

use std::io;

use super::later::Later;
use super::message::{Done, Effect};
use super::terminal::Terminal;

/// Performs an effect and returns its immediate result. A result that depends on other programs is
/// sent to `later`.
///
/// # Errors
/// If the terminal cannot be written to.
pub fn run(effect: Effect, terminal: &mut Terminal, later: &Later) -> io::Result<Option<Done>> {
    match effect {
        Effect::Suggest(dir) => {
            history::suggest(dir, later);
            Ok(None)
        }
        Effect::Copy(text, what) => copy::copy(&text, &what, terminal, later),
        Effect::Pager(id) => pager::show(&id, terminal),
        Effect::Exec(dir, job) => exec::shell(&dir, &job, terminal),
        Effect::Login(host) => login::login(&host, terminal),
        Effect::Open(url) => Ok(open::open(&url)),
        Effect::Notify(title, text, true) => Ok(notify::desktop(&title, &text)),
        Effect::Notify(title, text, false) => notify::notify(&title, &text, terminal),
        Effect::Title(title) => terminal.title(&title).map(|()| None),
        Effect::Mouse(on) => terminal.mouse(on).map(|()| None),
    }
}
