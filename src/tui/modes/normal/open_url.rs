//! Opens the URL of a job in the browser.

use crate::protocol::params::StatusParams;
use crate::protocol::{Action, Record, SessionId};
use crate::tui::message::{Cmd, Effect, RequestKind};
use crate::tui::model::{Model, url};
use crate::tui::pane::links;

/// Opens the URL of the selected job, or else a link on its screen. Requests the URL if it is not known yet; without one
/// an address in the text of the screen is opened.
pub(super) fn selected(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note_no_job("There is no job whose URL to open.");
        return;
    };
    let id = job.id().clone();
    if let Some(url) = url::served(&job.record) {
        cmds.push(Cmd::Effect(Effect::Open(url)));
    } else if let Some(link) = links::last(model) {
        cmds.push(Cmd::Effect(Effect::Open(link)));
    } else if model.has_daemon("Not known") {
        let params = StatusParams {
            session_id: id.to_string(),
            detail: Some(true),
            ..StatusParams::default()
        };
        cmds.push(Cmd::Request(RequestKind::Url(id), Action::Status(params)));
    }
}

/// Handles the requested record.
pub fn received(model: &mut Model, id: &SessionId, record: &Record, cmds: &mut Vec<Cmd>) {
    match url::served(record).or_else(|| links::written(model, id)) {
        Some(url) => cmds.push(Cmd::Effect(Effect::Open(url))),
        None => {
            let name = model.name_of(id);
            model.note(format!("{name} listens on no port and has shown no URL."));
        }
    }
}

/// Without a browser: copies the URL to the clipboard and shows it.
pub fn no_browser(model: &mut Model, url: String, cmds: &mut Vec<Cmd>) {
    model.note(format!("There is no browser here: {url}"));
    cmds.push(Cmd::Effect(Effect::Copy(url, "the URL".to_owned())));
}
