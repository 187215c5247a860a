//! COPY: what can be copied of jobs.

use super::keys::Copy;
use crate::protocol::params::{Log, StatusParams};
use crate::protocol::{Action as Request, SessionId};
use crate::tui::copy::{self, log_path};
use crate::tui::message::{Cmd, CopyFrom, RequestKind};
use crate::tui::model::copied::Commands;
use crate::tui::model::job::Job;
use crate::tui::model::{Model, url};

/// Number of log lines that the menu copies.
const LINES: u64 = 100;

/// Copies the chosen item for these jobs.
pub(super) fn chosen(model: &mut Model, ids: &[SessionId], item: Copy, cmds: &mut Vec<Cmd>) {
    let jobs: Vec<&Job> = ids.iter().filter_map(|id| model.job(id)).collect();
    let each = |what: &dyn Fn(&Job) -> Option<String>| -> Vec<String> {
        jobs.iter().filter_map(|job| what(job)).collect()
    };
    let (texts, word) = match item {
        Copy::Command => {
            // Only the details contain the variables that were set for a job.
            match ids {
                [id] => ask_for(model, id, CopyFrom::Command, cmds),
                _ => ask_for_commands(model, ids, cmds),
            }
            return;
        }
        Copy::Path => {
            let paths = each(&|job| log_path(&job.record));
            // For a short log, only the details contain the path.
            if let ([], [id]) = (paths.as_slice(), ids) {
                ask_for(model, id, CopyFrom::Path, cmds);
                return;
            }
            (paths, "path")
        }
        Copy::Id => (each(&|job| Some(job.id().to_string())), "id"),
        Copy::Url => {
            let urls = each(&|job| url::served(&job.record));
            if let ([], [id]) = (urls.as_slice(), ids) {
                ask_for(model, id, CopyFrom::Url, cmds);
                return;
            }
            (urls, "URL")
        }
        Copy::Log | Copy::Screen => {
            let [id] = ids else {
                model.note("A log or a screen is copied of one job at a time.");
                return;
            };
            let id = id.clone();
            match item {
                Copy::Log => ask_for_lines(model, &id, cmds),
                _ => screen(model, &id, cmds),
            }
            return;
        }
        Copy::Leave => return,
    };
    match texts.as_slice() {
        [] => model.note(format!("There is no {word} to copy.")),
        [text] => copy::push(text.clone(), format!("the {word}"), cmds),
        several => {
            let what = format!("{} {word}s", several.len());
            copy::push(several.join("\n"), what, cmds);
        }
    }
}

fn screen(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    match model.screen(id) {
        Some(screen) => {
            let text = screen.logical_text();
            copy::lines(model, text, cmds);
        }
        None => model.note("Its screen is not there yet."),
    }
}

fn ask_for_lines(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if !model.has_daemon("Not done") {
        return;
    }
    let params = Log {
        session_id: Some(id.to_string()),
        tail: Some(LINES),
        ..Log::default()
    };
    let tag = RequestKind::Copy(id.clone(), CopyFrom::Lines);
    cmds.push(Cmd::Request(tag, Request::Log(params)));
}

fn ask_for_commands(model: &mut Model, ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    if model.has_daemon("Not done") {
        model.commands = Some(Commands::of(ids.to_vec()));
        cmds.extend(ids.iter().map(|id| details(id, CopyFrom::Commands)));
    }
}

fn ask_for(model: &mut Model, id: &SessionId, from: CopyFrom, cmds: &mut Vec<Cmd>) {
    if model.has_daemon("Not done") {
        cmds.push(details(id, from));
    }
}

/// The request for the details of a job.
fn details(id: &SessionId, from: CopyFrom) -> Cmd {
    let params = StatusParams {
        session_id: id.to_string(),
        detail: Some(true),
        ..StatusParams::default()
    };
    let tag = RequestKind::Copy(id.clone(), from);
    Cmd::Request(tag, Request::Status(params))
}
