//! Lets agents see a job, and copies the command that exports its log.

use crate::protocol::Action as Request;
use crate::protocol::params::Set;
use crate::protocol::record::{Record, Share};
use crate::tui::copy;
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::Model;
use crate::tui::shell::{self, Verb};

/// Lets agents read the selected job; hides it again if they may.
pub(super) fn share(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note_no_job("There is no job to share.");
        return;
    };
    let (id, now) = (job.id().clone(), job.record.summary.share);
    if !model.has_daemon("Not done") {
        return;
    }
    let share = if now.is_none() {
        Share::Read
    } else {
        Share::None
    };
    let set = Set {
        session_id: id.to_string(),
        share: Some(share),
        ..Set::default()
    };
    cmds.push(Cmd::Request(RequestKind::Set(id, None), Request::Set(set)));
}

/// What has changed for agents, and the command that does the same; `None` if nothing has.
pub fn said(model: &Model, before: Share, record: &Record) -> Option<(String, Option<String>)> {
    let (id, now) = (&record.summary.session_id, record.summary.share);
    if now == before {
        return None;
    }
    let name = model.name_of(id);
    let (text, verb) = match now {
        Share::None => (format!("agents no longer see {name}"), Verb::Unshare),
        Share::Read => (format!("every agent may read {name}"), Verb::Share),
        Share::Write => return Some((format!("every agent may type into {name}"), None)),
    };
    Some((text, shell::on_jobs(verb, model, std::slice::from_ref(id))))
}

/// Copies the shell command that writes the log of the selected job into a file.
pub(super) fn export(model: &mut Model, cmds: &mut Vec<Cmd>) {
    match shell::on_selected(Verb::Export, model) {
        Some(command) => copy::push(command, "the export command".to_owned(), cmds),
        None => model.note_no_job("There is no job to export."),
    }
}
