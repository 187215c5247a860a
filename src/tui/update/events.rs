//! Handles events.
//!
//! An event says that something happened, not what the record looks like now, so each event
//! triggers a request for that record. Several events in a row cost at most one extra request.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::daemon::list;
use super::gone::forget;
use super::queues::others_moved;
use super::{alert, away, notify};
use crate::protocol::event::ScreenUpdate;
use crate::protocol::{Error, Event, EventKind, SessionId, Timestamp};
use crate::term::sanitize::clean;
use crate::tui::keyboard;
use crate::tui::message::Cmd;
use crate::tui::model::{Model, hosts};
use crate::tui::modes::page;
use crate::tui::modes::scroll::rewind;
use crate::tui::pane::follow;
use crate::tui::requests::{queues, refresh};
use crate::tui::state::State;

/// Handles an event.
pub(super) fn received(model: &mut Model, event: Event, cmds: &mut Vec<Cmd>) {
    if event.event == EventKind::Lag {
        cmds.push(list(model));
        queues(cmds);
        return;
    }
    model.daemon.seq = model.daemon.seq.max(event.seq.unwrap_or(0));
    report_or_keep(model, &event, cmds);
    match event.event {
        EventKind::HostUp | EventKind::HostDown => {
            host_changed(model, &event, cmds);
            return;
        }
        EventKind::QueuePaused | EventKind::QueueResumed | EventKind::QueueChanged => queues(cmds),
        _ => {}
    }
    away::happened(model, &event);
    if let Some(id) = event.session_id {
        job_event(model, id, event.event, event.data, cmds);
    }
}

/// Tells the person of an event. If a toast may tell of it and its job is new, it is told when the record of the job
/// has arrived.
fn report_or_keep(model: &mut Model, event: &Event, cmds: &mut Vec<Cmd>) {
    let id = event.session_id.as_ref();
    match id.and_then(|id| model.on_its_way(id)) {
        Some(pending) if alert::may_tell(event.event) => pending.early.push(event.clone()),
        _ => report(model, event, cmds),
    }
}

/// Tells the person of an event, if it is worth that.
fn report(model: &mut Model, event: &Event, cmds: &mut Vec<Cmd>) {
    notify::notify(model, event, cmds);
    alert::alert(model, event);
}

/// After a reply with a record: tells of what has happened to a new job meanwhile, and requests the record again if more
/// has happened since.
pub(super) fn refreshed(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    let Some(pending) = model.refreshing.remove(id) else {
        return;
    };
    for event in pending.early {
        report(model, &event, cmds);
    }
    if pending.again {
        refresh(model, id, cmds);
    }
}

/// A host was connected, or is not any more.
fn host_changed(model: &mut Model, event: &Event, cmds: &mut Vec<Cmd>) {
    cmds.push(list(model));
    let Some(host) = event.host.as_deref() else {
        return;
    };
    if event.event == EventKind::HostUp {
        model.toasts.settle(&host_topic(host));
        // What was refused meanwhile is asked again.
        model.watches.retain(|watch| watch.id.host() != Some(host));
        if model.selected_host() == Some(host) {
            follow::again(model, cmds);
            rewind::again(model, cmds);
        }
    }
    let error = event.data.get("error").cloned();
    let error = error.and_then(|error| serde_json::from_value::<Error>(error).ok());
    // The headings say it of the others.
    if let (EventKind::HostDown, Some(error)) = (event.event, error)
        && model.selected_host() == Some(host)
    {
        let trouble = hosts::trouble(&error);
        let text = format!("{} is not connected: {trouble}", clean(host));
        model.fail_until_settled(&host_topic(host), text);
    }
}

/// What a toast about the connection to a host is about.
fn host_topic(host: &str) -> String {
    format!("host {host}")
}

/// Handles an event about a job.
fn job_event(model: &mut Model, id: SessionId, kind: EventKind, data: Value, cmds: &mut Vec<Cmd>) {
    // Screen events do not count as activity: only watched jobs have them, and an output event
    // reports the same activity.
    if kind != EventKind::Screen {
        model.usage.touch(model.now.ms);
    }
    match kind {
        EventKind::Screen => screen_received(model, &id, data),
        EventKind::Output => output_received(model, &id, &data),
        EventKind::Title | EventKind::Bell | EventKind::Hello => {}
        EventKind::AgentInput => agent_typed(model, id, &data),
        EventKind::Restarted => {
            keyboard::restarted(model, &id, cmds);
            refresh(model, &id, cmds);
        }
        EventKind::Changed => {
            look_again(model, &id, cmds);
            let job = model.job(&id);
            if job.is_some_and(|job| job.state() == State::Queued) {
                others_moved(model, &id, cmds);
            }
        }
        EventKind::Removed => forget(model, &[id], cmds),
        // A late report of an end that happened while no daemon was running. If the job still
        // exists, the list requested after this contains it.
        EventKind::Exited | EventKind::Lost
            if model.job(&id).is_none() && !model.refreshing.contains_key(&id) => {}
        _ => look_again(model, &id, cmds),
    }
}

/// Requests the record of a job again, and the page about it if that is open.
fn look_again(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    refresh(model, id, cmds);
    page::job_changed(model, id, cmds);
}

fn agent_typed(model: &mut Model, id: SessionId, data: &Value) {
    let by = data.get("by").and_then(Value::as_str);
    let by = by.map(clean).filter(|by| !by.is_empty());
    model.keyboards.agent_typed(id, by, model.now.ms);
    model.dirty = true;
}

fn screen_received(model: &mut Model, id: &SessionId, data: Value) {
    let Ok(update) = serde_json::from_value::<ScreenUpdate>(data) else {
        return;
    };
    if let Some(job) = model.jobs.iter_mut().find(|job| job.id() == id) {
        job.record.summary.rows = update.rows;
        job.record.summary.cols = update.cols;
        if let Some(lines) = update.output_lines {
            job.record.summary.output_lines = lines;
            model.runs.note_lines(id, lines);
        }
    }
    if let Some(watch) = model.watches.iter_mut().find(|watch| watch.id == *id) {
        let Some(rows) = watch.apply(&update) else {
            return;
        };
        if !update.full {
            model.settling.wrote(id);
        }
        if update.full || model.current_id() != Some(id) {
            model.dirty = true
        } else {
            model.touch(rows)
        }
    }
}

fn output_received(model: &mut Model, id: &SessionId, data: &Value) {
    let is_current = model.current_id() == Some(id);
    let unseen_before = model.job(id).map(|job| model.unseen(job));
    let Some(job) = model.jobs.iter_mut().find(|job| job.id() == id) else {
        return;
    };
    let summary = &mut job.record.summary;
    let number = |key: &str| data.get(key).and_then(Value::as_u64);
    if let Some(bytes) = number("outputBytes") {
        let spark = model.sparks.entry(id.clone()).or_default();
        model.dirty |= spark.feed(summary.output_bytes, bytes, model.now.ms);
        summary.output_bytes = bytes;
        model.settling.wrote(id);
    }
    if let Some(lines) = number("outputLines") {
        summary.output_lines = lines;
    }
    if let Some(at) = data.get("lastOutputAt").and_then(Value::as_str) {
        summary.last_output_at = Timestamp::parse(at).or(summary.last_output_at);
    }
    // No event reports that a prompt was answered; the new input state comes with the output that
    // follows.
    let changes_state = replace(&mut summary.input_state, data, "inputState")
        | replace(&mut summary.report, data, "report");
    // Filter and order go by the state.
    model.list.stale |= changes_state;
    model.dirty |= changes_state
        | replace(&mut summary.shell, data, "shell")
        | replace(&mut summary.present_directory, data, "presentDirectory")
        | replace(&mut summary.progress, data, "progress");
    let unseen = model.job(id).map(|job| model.unseen(job));
    model.dirty |= is_current || unseen != unseen_before;
}

/// Replaces a field by the one in the data, if it has it. Returns whether the field changed.
fn replace<T: PartialEq + DeserializeOwned>(field: &mut T, data: &Value, name: &str) -> bool {
    let Some(Ok(value)) = data.get(name).map(T::deserialize) else {
        return false;
    };
    let changed = *field != value;
    *field = value;
    changed
}
