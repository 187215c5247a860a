//! Copies to the clipboard, and the messages about it.

use serde_json::Value;

use crate::protocol::reply::LogLines;
use crate::protocol::{Record, SessionId};
use crate::term::sanitize::clean;
use crate::tui::command_line::{command_line, masked};
use crate::tui::message::{Cmd, CopyFrom, Effect};
use crate::tui::model::Model;
use crate::tui::model::url;
use crate::tui::units;

/// Copies the report of a failed job, as one would send it to somebody when asking for help.
pub fn report(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note_no_job("There is no job to report on.");
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
    cmds.push(Cmd::Effect(Effect::Copy(text, what)));
}

/// Copies text and shows the number of lines.
pub fn lines(model: &mut Model, text: String, cmds: &mut Vec<Cmd>) {
    if text.is_empty() {
        model.note("There is nothing to copy here.");
        return;
    }
    let what = match text.lines().count() {
        1 => "1 line".to_owned(),
        n => format!("{n} lines"),
    };
    cmds.push(Cmd::Effect(Effect::Copy(text, what)));
}

/// Handles the reply to a copy request.
pub fn received(model: &mut Model, from: CopyFrom, value: Value, cmds: &mut Vec<Cmd>) {
    match from {
        CopyFrom::Lines => {
            let log = serde_json::from_value::<LogLines>(value);
            let lines_of = |log: LogLines| log.lines.into_iter().map(|line| line.text);
            let all: Vec<String> = log.map(|log| lines_of(log).collect()).unwrap_or_default();
            lines(model, all.join("\n"), cmds);
        }
        CopyFrom::Command => {
            if let Ok(record) = serde_json::from_value::<Record>(value) {
                copy_commands(model, &[&record], cmds);
            }
        }
        CopyFrom::Commands => {
            if let Ok(record) = serde_json::from_value::<Record>(value) {
                one_of_several(model, record, cmds);
            }
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

/// Takes note of the details of one of several jobs.
fn one_of_several(model: &mut Model, record: Record, cmds: &mut Vec<Cmd>) {
    if let Some(commands) = &mut model.commands {
        let id = record.summary.session_id.clone();
        commands.records.insert(id, record);
    }
    all_of_several(model, cmds);
}

/// Leaves out a job that has been removed since.
pub fn forget(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if let Some(commands) = &mut model.commands {
        commands.ids.retain(|one| one != id);
    }
    all_of_several(model, cmds);
}

/// Copies the commands of several jobs if all their details are there.
fn all_of_several(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(commands) = model.commands.take() else {
        return;
    };
    let found = commands.ids.iter().map(|id| commands.records.get(id));
    match found.collect::<Option<Vec<&Record>>>() {
        Some(records) if records.is_empty() => {}
        Some(records) => copy_commands(model, &records, cmds),
        None => model.commands = Some(commands),
    }
}

/// Copies the commands of jobs, one line each; names the variables whose values are left out.
fn copy_commands(model: &Model, records: &[&Record], cmds: &mut Vec<Cmd>) {
    let home = model.origin.home.as_deref();
    let lines: Vec<String> = records.iter().map(|one| command_line(one, home)).collect();
    let mut what = match records.len() {
        1 => "the command".to_owned(),
        n => format!("{n} commands"),
    };
    let mut names: Vec<String> = records.iter().flat_map(|one| masked(one)).collect();
    names.sort();
    names.dedup();
    if !names.is_empty() {
        what.push_str(&format!("; *** stands for {}", clean(&names.join(", "))));
    }
    push(lines.join("\n"), what, cmds);
}

/// The path of the log; if the log consists of several files, of the newest.
pub fn log_path(record: &Record) -> Option<String> {
    let newest = record.output_files.last().map(|file| file.path.clone());
    newest.or_else(|| record.summary.output_file.clone())
}

/// Copies a text.
pub fn push(text: String, what: String, cmds: &mut Vec<Cmd>) {
    cmds.push(Cmd::Effect(Effect::Copy(text, what)));
}
