//! What can be copied, and the messages about it.

use serde_json::Value;

use super::msg::{Cmd, CopyFrom, Errand, Tag};
use crate::protocol::params::{Log, StatusParams};
use crate::protocol::reply::LogLines;
use crate::protocol::shell::quote;
use crate::protocol::{Action as Request, Record, SessionId};
use crate::tui::keymap::Action;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::url;
use crate::tui::units;

/// Number of log lines that the menu copies.
const LINES: u64 = 100;

/// Copies the report of a failed job, as one would send it to somebody when asking for help.
pub(super) fn report(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note("There is no job to report on.");
        return;
    };
    let name = job.name.clone();
    if !job.state().failed() {
        model.note(format!(
            "{name} has not failed. {} copies the report of a job that did.",
            model.key("Y")
        ));
        return;
    }
    let card = model.cards.get(job.id());
    let Some(card) = card.filter(|card| card.output.is_some()) else {
        model.note(format!(
            "The report is not there yet. {} again copies it.",
            model.key("Y")
        ));
        return;
    };
    let took = i64::try_from(job.record.summary.runtime_ms).unwrap_or(i64::MAX);
    let mut lines = vec![
        format!("{name} failed: {}", card.how(&job.record)),
        format!("command: {}", job.command),
        format!("directory: {}", job.record.summary.cwd),
        format!("ran: {}", units::took(took)),
    ];
    if let Some(run) = &card.run {
        lines.push(format!("started: {}", run.started_at));
    }
    lines.extend(card.compared());
    lines.extend(
        card.error
            .as_ref()
            .map(|line| format!("first error: {line}")),
    );
    lines.push("last lines:".to_owned());
    lines.extend(card.tail().iter().map(|line| format!("  {line}")));
    let text = lines.join("\n") + "\n";
    let what = format!("the report of {name}");
    cmds.push(Cmd::Errand(Errand::Copy(text, what)));
}

/// Copies text and shows the number of lines.
pub(super) fn lines(model: &mut Model, text: String, cmds: &mut Vec<Cmd>) {
    if text.is_empty() {
        model.note("There is nothing to copy here.");
        return;
    }
    let what = match text.lines().count() {
        1 => "1 line".to_owned(),
        n => format!("{n} lines"),
    };
    cmds.push(Cmd::Errand(Errand::Copy(text, what)));
}

/// Copies the chosen item for these jobs.
pub(super) fn chosen(model: &mut Model, ids: &[SessionId], action: Action, cmds: &mut Vec<Cmd>) {
    let jobs: Vec<&Job> = ids.iter().filter_map(|id| model.job(id)).collect();
    let each = |what: &dyn Fn(&Job) -> Option<String>| -> Vec<String> {
        jobs.iter().filter_map(|job| what(job)).collect()
    };
    let (texts, word) = match action {
        Action::CopyCommand => {
            let home = model.origin.home.as_deref();
            (each(&|job| Some(shell_command(job, home))), "command")
        }
        Action::CopyPath => {
            let paths = each(&|job| log_path(&job.record));
            // For a short log, only the details contain the path.
            if let ([], [id]) = (paths.as_slice(), ids) {
                ask_for(id, CopyFrom::Path, cmds);
                return;
            }
            (paths, "path")
        }
        Action::CopyId => (each(&|job| Some(job.id().to_string())), "id"),
        Action::CopyUrl => {
            let urls = each(&|job| url::served(&job.record));
            if let ([], [id]) = (urls.as_slice(), ids) {
                ask_for(id, CopyFrom::Url, cmds);
                return;
            }
            (urls, "URL")
        }
        Action::CopyLog | Action::CopyScreen => {
            let [id] = ids else {
                model.note("A log or a screen is copied of one job at a time.");
                return;
            };
            let id = id.clone();
            match action {
                Action::CopyLog => ask_for_lines(&id, cmds),
                _ => screen(model, &id, cmds),
            }
            return;
        }
        _ => return,
    };
    match texts.as_slice() {
        [] => model.note(format!("There is no {word} to copy.")),
        [text] => push(text.clone(), format!("the {word}"), cmds),
        several => {
            let what = format!("{} {word}s", several.len());
            push(several.join("\n"), what, cmds);
        }
    }
}

/// Handles the reply to a copy request.
pub(super) fn came(model: &mut Model, from: CopyFrom, value: Value, cmds: &mut Vec<Cmd>) {
    match from {
        CopyFrom::Lines => {
            let log = serde_json::from_value::<LogLines>(value);
            let lines_of = |log: LogLines| log.lines.into_iter().map(|line| line.text);
            let all: Vec<String> = log.map(|log| lines_of(log).collect()).unwrap_or_default();
            lines(model, all.join("\n"), cmds);
        }
        CopyFrom::Path => {
            let record = serde_json::from_value::<Record>(value).ok();
            match record.as_ref().and_then(log_path) {
                Some(path) => push(path, "the path".to_owned(), cmds),
                None => model.note("There is no log yet."),
            }
        }
        CopyFrom::Url => {
            let record = serde_json::from_value::<Record>(value).ok();
            match record.as_ref().and_then(url::served) {
                Some(url) => push(url, "the URL".to_owned(), cmds),
                None => model.note("There is no URL to copy: none was printed, no port listens."),
            }
        }
    }
}

/// `cd ~/shop && npm run dev`. Without variables set for the job, because their values are not
/// reported.
fn shell_command(job: &Job, home: Option<&str>) -> String {
    let summary = &job.record.summary;
    let command = job.shell_line();
    let dir = match home.and_then(|home| summary.cwd.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        // The shell expands the tilde only if it is unquoted.
        Some(rest) if rest.starts_with('/') => format!("~/{}", quote(&rest[1..])),
        _ => quote(&summary.cwd).into_owned(),
    };
    format!("cd {dir} && {command}")
}

/// The path of the log; if the log consists of several files, of the newest.
fn log_path(record: &Record) -> Option<String> {
    let newest = record.output_files.last().map(|file| file.path.clone());
    newest.or_else(|| record.summary.output_file.clone())
}

fn screen(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    match model.screen(id) {
        Some(screen) => {
            let text = screen.logical_text();
            lines(model, text, cmds);
        }
        None => model.note("Its screen is not there yet."),
    }
}

fn ask_for_lines(id: &SessionId, cmds: &mut Vec<Cmd>) {
    let params = Log {
        session_id: id.to_string(),
        tail: Some(LINES),
        ..Log::default()
    };
    let tag = Tag::Copy(id.clone(), CopyFrom::Lines);
    cmds.push(Cmd::Ask(tag, Request::Log(params)));
}

fn ask_for(id: &SessionId, from: CopyFrom, cmds: &mut Vec<Cmd>) {
    let params = StatusParams {
        session_id: id.to_string(),
        detail: Some(true),
    };
    let tag = Tag::Copy(id.clone(), from);
    cmds.push(Cmd::Ask(tag, Request::Status(params)));
}

fn push(text: String, what: String, cmds: &mut Vec<Cmd>) {
    cmds.push(Cmd::Errand(Errand::Copy(text, what)));
}
