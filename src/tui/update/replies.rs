//! Handles replies of the daemon, by the tag of the request.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::events::refreshed;
use super::gone::forget;
use super::{away, listed, project, queues, usage};
use crate::protocol::reply::{Cleared, Killed, Signalled, Started};
use crate::protocol::{Ending, Record, SessionId};
use crate::term::sanitize::clean;
use crate::tui::message::{Cmd, Keys, RequestKind};
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::modes::normal::{quit, share_said, url_received};
use crate::tui::modes::scroll::rewind;
use crate::tui::modes::{compare, form, found, insert, page};
use crate::tui::pane::{card, follow, group, jump, runs};
use crate::tui::requests::refresh;
use crate::tui::shell::{self, Verb};
use crate::tui::state::State;
use crate::tui::{copy, keyboard, removal, units};

/// Handles a reply.
pub(super) fn reply(model: &mut Model, tag: RequestKind, value: Value, cmds: &mut Vec<Cmd>) {
    match tag {
        RequestKind::List => {
            if let Some(list) = read(model, "The list", value) {
                listed::received(model, list, cmds);
            }
        }
        RequestKind::Away => away::received(model, value, cmds),
        RequestKind::Usage => usage::received(model, value, cmds),
        RequestKind::Found(id, round) => found::received(model, &id, round, Some(value)),
        RequestKind::Compare(id) => compare::received(model, &id, Some(value)),
        RequestKind::Details(id) => page::record_received(model, &id, value, cmds),
        RequestKind::Typed(id) => page::typed_received(model, &id, value),
        RequestKind::Record(id) => {
            store(model, &id, value);
            refreshed(model, &id, cmds);
        }
        RequestKind::Restart(id) => {
            store(model, &id, value);
            refresh(model, &id, cmds);
        }
        RequestKind::Start(request) => started(model, request, value, cmds),
        RequestKind::Url(id) => {
            if let Some(record) = read_of(model, &id, value) {
                url_received(model, &id, &record, cmds);
            }
        }
        RequestKind::Hold(id, on) => keyboard::received(model, id, on),
        RequestKind::Set(id, request) => changed(model, &id, request, value),
        RequestKind::Kill(id, force) => {
            killed(model, &id, force, value, cmds);
            refresh(model, &id, cmds);
        }
        RequestKind::Resize(id) => {
            if let Some(resized) = read_of(model, &id, value) {
                insert::resized(model, &id, &resized);
            }
        }
        RequestKind::Sent(id, signal) => sent(model, &id, signal, value),
        RequestKind::Pause(id, pause) => {
            paused(model, &id, pause);
            refresh(model, &id, cmds);
        }
        RequestKind::Decline(id) => {
            declined(model, &id);
            refresh(model, &id, cmds);
        }
        RequestKind::Remove(id) => forget(model, &[id], cmds),
        RequestKind::Log(id, part) => follow::received(model, &id, part, value, cmds),
        RequestKind::Merged(id) => group::received(model, &id, Some(value)),
        RequestKind::Runs(id) => {
            let record = read_of(model, &id, value);
            runs::received(model, &id, record);
            jump::go_on(model, cmds);
        }
        RequestKind::Project(request) => project::received(model, request, value, cmds),
        RequestKind::Copy(_, from) => copy::received(model, from, value, cmds),
        RequestKind::Past(id) => {
            if let Some(captured) = read_of(model, &id, value) {
                rewind::received(model, &id, &captured, cmds);
            }
        }
        RequestKind::Card(id, part) => card::received(model, &id, part, value, cmds),
        RequestKind::Type(id, Keys::Answer) => {
            if model.job(&id).is_some_and(|job| job.state().needs_input()) {
                refresh(model, &id, cmds);
            }
        }
        RequestKind::Disconnect(host) => {
            model.note(format!("{host} is disconnected; its jobs go on."));
        }
        RequestKind::Queues => queues::received(model, value),
        RequestKind::PauseQueue(name, pause) => queues::paused(model, &name, pause, value),
        RequestKind::Move(id, first) => {
            store(model, &id, value);
            queues::moved(model, &id, first, cmds);
        }
        RequestKind::Clear(id) => {
            if let Some(cleared) = read_of(model, &id, value) {
                log_cleared(model, &id, &cleared);
            }
            refresh(model, &id, cmds);
        }
        RequestKind::Type(_, Keys::Part) => {}
        RequestKind::Subscribe
        | RequestKind::Watch(_)
        | RequestKind::Unwatch
        | RequestKind::Cancel => {}
    }
}

/// Reads a reply about a job. `None` after saying that it cannot be read.
fn read_of<T: DeserializeOwned>(model: &mut Model, id: &SessionId, value: Value) -> Option<T> {
    let what = format!("The reply about {}", model.name_of(id));
    read(model, &what, value)
}

fn read<T: DeserializeOwned>(model: &mut Model, what: &str, value: Value) -> Option<T> {
    match serde_json::from_value(value) {
        Ok(read) => Some(read),
        Err(error) => {
            model.fail(format!("{what} could not be read: {error}"));
            None
        }
    }
}

/// Stores the record in a reply.
fn store(model: &mut Model, id: &SessionId, value: Value) {
    if let Some(record) = read_of(model, id, value) {
        record_received(model, record);
    }
}

fn record_received(model: &mut Model, record: Record) {
    let job = Job::new(record, model.now.ms, model.origin.home.as_deref());
    let Some(mut job) = removal::updated(&mut model.removed, job) else {
        return;
    };
    if !job.is_going() {
        model.keyboards.ended(job.id());
    }
    match model.jobs.iter_mut().find(|known| known.id() == job.id()) {
        Some(known) => {
            job.keep(known);
            *known = job;
        }
        None => model.jobs.push(job),
    }
    model.list.stale = true;
    model.dirty = true;
}

fn started(model: &mut Model, request: u64, value: Value, cmds: &mut Vec<Cmd>) {
    form::done(model, request);
    model.dirty = true;
    if let Some(started) = read::<Started>(model, "The reply about the new job", value) {
        model.wanted = Some(started.session_id.clone());
        refresh(model, &started.session_id, cmds);
    }
}

/// Stores the record of a job after a change to it.
fn changed(model: &mut Model, id: &SessionId, request: Option<u64>, value: Value) {
    let before = model.job(id).map(Job::shell_line);
    let share = model.job(id).map(|job| job.record.summary.share);
    if let Some(request) = request {
        form::done(model, request);
    }
    if let Some(record) = read_of::<Record>(model, id, value) {
        let said = share.and_then(|before| share_said(model, before, &record));
        let unsaved = record.unsaved;
        record_received(model, record);
        if unsaved {
            let name = model.name_of(id);
            model.note(format!(
                "{name} is changed, but the disk is full: the change is kept in memory until there is room"
            ));
            return;
        }
        if let Some((text, shell)) = said {
            model.note_done(text, shell);
            return;
        }
    }
    let job = model
        .job(id)
        .map(|job| (job.name.clone(), job.shell_line(), job.state()));
    let Some((name, command, state)) = job else {
        return;
    };
    let text = if before.is_none_or(|before| before == command) {
        format!("{name} is changed")
    } else if state == State::Queued {
        // The key for a restart would let it jump its queue.
        format!("{name} is changed; it starts in its turn, with the new command")
    } else {
        let key = model.key("r");
        format!("{name} is changed; its next run has the new command. {key} starts it")
    };
    model.note(text);
}

fn killed(model: &mut Model, id: &SessionId, force: bool, value: Value, cmds: &mut Vec<Cmd>) {
    let name = model.name_of(id);
    let Some(killed) = read_of::<Killed>(model, id, value) else {
        return;
    };
    let how = Ending::from(&killed).to_string();
    if !killed.survivors.is_empty() {
        let pids: Vec<String> = killed.survivors.iter().map(u32::to_string).collect();
        let pids = pids.join(", ");
        quit::stay(model);
        let key = model.key("K");
        model.fail(format!(
            "{name}: still running: pid {pids}.  {key} tries again"
        ));
        model.survivors.insert(id.clone(), killed.survivors);
        return;
    }
    model.survivors.remove(id);
    // The record with this status may arrive only after the view has closed.
    if let Some(job) = model.jobs.iter_mut().find(|job| job.id() == id) {
        job.record.summary.status = killed.status;
        model.list.stale = true;
    }
    let how = clean(&how);
    let verb = if force { Verb::Kill } else { Verb::Stop };
    let command = shell::on_jobs(verb, model, std::slice::from_ref(id));
    if killed.already_ended {
        model.note_done(format!("{name} had ended already ({how})"), command);
    } else {
        model.note_each(("stopped", id), format!("{name} stopped ({how})"), command);
    }
    quit::ended(model, id, cmds);
}

/// Tells that a job was paused or continued, and how to undo it.
fn paused(model: &mut Model, id: &SessionId, pause: bool) {
    let (name, key) = (model.name_of(id), model.key("p"));
    let (text, verb) = if pause {
        (
            format!("Paused {name} (SIGSTOP). {key} continues it."),
            Verb::Pause,
        )
    } else {
        (
            format!("Continued {name} (SIGCONT). {key} pauses it."),
            Verb::Resume,
        )
    };
    let command = shell::on_jobs(verb, model, std::slice::from_ref(id));
    model.note_state(format!("pause {id}"), text, command);
}

/// Tells how much of a log is gone. What the view has of it is read again.
fn log_cleared(model: &mut Model, id: &SessionId, cleared: &Cleared) {
    let name = model.name_of(id);
    if model.current_id() == Some(id) && model.is_normal() {
        model.pane.scroll = None;
    }
    model.cards.remove(id);
    let kept = units::bytes(cleared.cleared_bytes);
    let command = shell::on_jobs(Verb::Clear, model, std::slice::from_ref(id));
    let text = format!("The log of {name} is cleared ({kept})");
    model.note_each(("cleared the logs of", id), text, command);
}

/// Tells whose question a person has declined.
fn declined(model: &mut Model, id: &SessionId) {
    let asked = model.job(id).map(|job| &job.record.asked);
    let mut by: Vec<String> = asked
        .into_iter()
        .flatten()
        .map(|one| clean(one.by.as_str()))
        .collect();
    let count = by.len();
    by.dedup();
    let name = model.name_of(id);
    let text = match count {
        // It was answered or gone just before.
        0 => format!("Declined the question about {name}"),
        1 => format!("Declined what {} asked about {name}", by.join(", ")),
        // There is one key for all of them.
        _ => format!(
            "Declined all {count} questions of {} about {name}",
            by.join(", ")
        ),
    };
    let command = shell::on_jobs(Verb::Decline, model, std::slice::from_ref(id));
    model.note_done(text, command);
}

/// Shows how many processes a signal of the menu has reached.
fn sent(model: &mut Model, id: &SessionId, signal: &str, value: Value) {
    let name = model.name_of(id);
    let Some(sent) = read_of::<Signalled>(model, id, value) else {
        return;
    };
    let text = match sent.delivered_to.len() {
        0 => return model.note(format!("{signal} reached no process of {name}")),
        1 => format!("sent {signal} to {name}"),
        n => format!("sent {signal} to {name} ({n} processes)"),
    };
    model.note_each((&format!("sent {signal} to"), id), text, None);
}
