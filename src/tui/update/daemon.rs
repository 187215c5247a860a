//! What the daemon says: records, screens, answers, and that it went away.
//!
//! Events say that something happened, not what a record looks like now, so each is followed by asking for that
//! record; several in a row cost one question more at most.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::insert;
use super::msg::{Cmd, Exit, News, Tag};
use crate::protocol::event::ScreenUpdate;
use crate::protocol::params::{List, StatusParams, Subscribe};
use crate::protocol::reply::{Killed, Listed, LogBytes, Started};
use crate::protocol::{Action, Error, ErrorCode, Event, EventKind, Record, SessionId, Timestamp};
use crate::tui::model::job::Job;
use crate::tui::model::mode::{Frame, Mode};
use crate::tui::model::scroll::Part;
use crate::tui::model::{Attached, Link, Model, Selected};

/// Sessions asked for: more than the daemon keeps.
const LIST_LIMIT: usize = 1000;

/// Events that change what is shown. Those without a sequence number come only to those who name them.
const EVENTS: [EventKind; 17] = [
    EventKind::Started,
    EventKind::Ready,
    EventKind::Exited,
    EventKind::Paused,
    EventKind::Resumed,
    EventKind::InputNeeded,
    EventKind::HumanAsked,
    EventKind::Held,
    EventKind::Released,
    EventKind::Restarted,
    EventKind::Lost,
    EventKind::Adopted,
    EventKind::Limit,
    EventKind::Removed,
    EventKind::Output,
    EventKind::Title,
    EventKind::Lag,
];

/// Takes in what came.
pub(super) fn hear(model: &mut Model, news: News, cmds: &mut Vec<Cmd>) {
    match news {
        News::Up => up(model, cmds),
        News::Down => down(model),
        News::Event(event) => event_came(model, event, cmds),
        News::Reply(tag, Ok(value)) => answer(model, tag, value, cmds),
        News::Reply(tag, Err(error)) => refusal(model, tag, &error, cmds),
        News::Dropped(tag) => {
            let error = Error::new(ErrorCode::DaemonUnavailable, "the daemon does not keep up");
            refusal(model, tag, &error, cmds);
        }
    }
}

fn up(model: &mut Model, cmds: &mut Vec<Cmd>) {
    model.link = Link::Up;
    model.watch = None;
    model.dirty = true;
    let subscribe = Subscribe {
        events: Some(EVENTS.to_vec()),
        ..Subscribe::default()
    };
    cmds.push(Cmd::Ask(Tag::Subscribe, Action::Subscribe(subscribe)));
    cmds.push(list());
}

/// Questions that were on their way will not be answered.
fn down(model: &mut Model) {
    model.link = Link::Down;
    model.refreshing.clear();
    model.dirty = true;
    match &mut model.mode {
        Mode::Scroll(scroll, _) => scroll.loading = None,
        Mode::Prompt(form) => form.busy = false,
        Mode::Insert(insert) => insert.asked = None,
        _ => {}
    }
}

fn event_came(model: &mut Model, event: Event, cmds: &mut Vec<Cmd>) {
    if event.event == EventKind::Lag {
        cmds.push(list());
        return;
    }
    let Some(id) = event.session_id else {
        return;
    };
    match event.event {
        EventKind::Screen => screen_came(model, &id, event.data),
        EventKind::Output => output_came(model, &id, &event.data, cmds),
        EventKind::Title | EventKind::Bell | EventKind::Hello => {}
        EventKind::Removed => forget(model, &id),
        _ => refresh(model, &id, cmds),
    }
}

fn screen_came(model: &mut Model, id: &SessionId, data: Value) {
    let Ok(update) = serde_json::from_value::<ScreenUpdate>(data) else {
        return;
    };
    if let Some(job) = model.jobs.iter_mut().find(|job| job.id() == id) {
        job.record.summary.rows = update.rows;
        job.record.summary.cols = update.cols;
    }
    if let Some(watch) = model.watch.as_mut().filter(|watch| watch.id == *id) {
        model.dirty |= watch.apply(&update);
    }
}

fn output_came(model: &mut Model, id: &SessionId, data: &Value, cmds: &mut Vec<Cmd>) {
    let is_current = model.current_id() == Some(id);
    let Some(job) = model.jobs.iter_mut().find(|job| job.id() == id) else {
        return;
    };
    let summary = &mut job.record.summary;
    let number = |key: &str| data.get(key).and_then(Value::as_u64);
    if let Some(bytes) = number("outputBytes") {
        summary.output_bytes = bytes;
    }
    if let Some(lines) = number("outputLines") {
        summary.output_lines = lines;
    }
    if let Some(at) = data.get("lastOutputAt").and_then(Value::as_str) {
        summary.last_output_at = Timestamp::parse(at).or(summary.last_output_at);
    }
    // No event says that a prompt was answered; writing on is how it shows.
    let answered = job.state().needs_input();
    model.dirty |= is_current;
    if answered {
        refresh(model, id, cmds);
    }
}

/// Asks for a record, or remembers to ask again once the answer on its way has come.
fn refresh(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if let Some(again) = model.refreshing.get_mut(id) {
        *again = true;
        return;
    }
    model.refreshing.insert(id.clone(), false);
    let params = StatusParams {
        session_id: id.to_string(),
        detail: None,
    };
    cmds.push(Cmd::Ask(Tag::Record(id.clone()), Action::Status(params)));
}

/// After an answer about a record: asks again if more happened since.
fn refreshed(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if model.refreshing.remove(id) == Some(true) {
        refresh(model, id, cmds);
    }
}

fn answer(model: &mut Model, tag: Tag, value: Value, cmds: &mut Vec<Cmd>) {
    match tag {
        Tag::List => match serde_json::from_value::<Listed<Record>>(value) {
            Ok(listed) => list_came(model, listed.sessions, cmds),
            Err(error) => model.fail(format!("The list could not be read: {error}")),
        },
        Tag::Record(id) => {
            if let Ok(record) = serde_json::from_value::<Record>(value) {
                record_came(model, record);
            }
            refreshed(model, &id, cmds);
        }
        Tag::Restart(id) => {
            if let Ok(record) = serde_json::from_value::<Record>(value) {
                record_came(model, record);
            }
            refresh(model, &id, cmds);
        }
        Tag::Start => started(model, value, cmds),
        Tag::Kill(id) => {
            killed(model, &id, value);
            refresh(model, &id, cmds);
        }
        Tag::Signal(id) => refresh(model, &id, cmds),
        Tag::Remove(id) => forget(model, &id),
        Tag::Log(id, part) => log_came(model, &id, part, value),
        Tag::Type(id) => {
            if model.job(&id).is_some_and(|job| job.state().needs_input()) {
                refresh(model, &id, cmds);
            }
        }
        Tag::Subscribe | Tag::Watch(_) | Tag::Unwatch | Tag::Resize(_) => {}
    }
}

fn list_came(model: &mut Model, records: Vec<Record>, cmds: &mut Vec<Cmd>) {
    let (now, home) = (model.now.ms, model.origin.home.clone());
    model.jobs = records
        .into_iter()
        .map(|record| Job::new(record, now, home.as_deref()))
        .collect();
    model.stale = true;
    model.dirty = true;
    if !std::mem::replace(&mut model.listed, true) && model.jobs.is_empty() {
        model.note("q closes this view, jobs keep running");
    }
    note_end(model);
    if let Attached::Awaited(id) = model.attached.clone() {
        attach(model, id, cmds);
    }
}

/// Opens the session that the view was opened for.
fn attach(model: &mut Model, id: SessionId, cmds: &mut Vec<Cmd>) {
    if model.job(&id).is_none() {
        let error = Error::session_not_found(id.as_str());
        cmds.push(Cmd::Quit(Exit::Failed(error)));
        return;
    }
    model.selected = Selected::Job(id.clone());
    model.selected_at = model.now.ms;
    model.frame = Frame {
        zoom: true,
        open: true,
    };
    model.attached = Attached::Yes(id);
    if !model.read_only {
        insert::enter(model, true);
    }
}

fn record_came(model: &mut Model, record: Record) {
    let job = Job::new(record, model.now.ms, model.origin.home.as_deref());
    match model.jobs.iter_mut().find(|known| known.id() == job.id()) {
        Some(known) => *known = job,
        None => model.jobs.push(job),
    }
    model.stale = true;
    model.dirty = true;
    note_end(model);
}

/// Notes when the job that is typed into ends, or runs again.
fn note_end(model: &mut Model) {
    let Mode::Insert(insert) = &model.mode else {
        return;
    };
    let over = model
        .job(&insert.id)
        .is_none_or(|job| job.record.summary.status.is_finished());
    model.ended_at = match (over, model.ended_at) {
        (true, None) => Some(model.now.ms),
        (true, at) => at,
        (false, _) => None,
    };
}

fn forget(model: &mut Model, id: &SessionId) {
    model.jobs.retain(|job| job.id() != id);
    model.refreshing.remove(id);
    if model.previous.as_ref() == Some(id) {
        model.previous = None;
    }
    let gone = match &model.mode {
        Mode::Insert(insert) => insert.id == *id,
        Mode::Scroll(scroll, _) => scroll.id == *id,
        _ => false,
    };
    if gone {
        model.mode = Mode::Normal;
        model.note("The job was removed.");
    }
    if model.jobs.is_empty() || gone {
        model.frame = Frame::default();
    }
    model.stale = true;
    model.dirty = true;
}

fn started(model: &mut Model, value: Value, cmds: &mut Vec<Cmd>) {
    if matches!(model.mode, Mode::Prompt(_)) {
        model.mode = Mode::Normal;
    }
    model.dirty = true;
    if let Ok(started) = serde_json::from_value::<Started>(value) {
        model.wanted = Some(started.session_id.clone());
        refresh(model, &started.session_id, cmds);
    }
}

fn killed(model: &mut Model, id: &SessionId, value: Value) {
    let name = model.name_of(id);
    let Ok(killed) = serde_json::from_value::<Killed>(value) else {
        return;
    };
    if !killed.survivors.is_empty() {
        let pids: Vec<String> = killed.survivors.iter().map(u32::to_string).collect();
        let pids = pids.join(", ");
        model.fail(format!("{name}: still running: pid {pids}.  X tries again"));
        return;
    }
    let how = match (killed.exit_code, &killed.signal) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => signal.clone(),
        (None, None) => "no exit code".to_owned(),
    };
    model.note(if killed.already_ended {
        format!("{name} had ended already ({how})")
    } else {
        format!("{name} stopped ({how})")
    });
}

fn log_came(model: &mut Model, id: &SessionId, part: Part, value: Value) {
    let lines = model
        .job(id)
        .map_or(0, |job| job.record.summary.output_lines);
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    if scroll.id != *id || scroll.loading != Some(part) {
        return;
    }
    let read = serde_json::from_value::<LogBytes>(value)
        .ok()
        .and_then(|log| Some((STANDARD.decode(&log.output).ok()?, log)));
    match read {
        Some((bytes, log)) => {
            scroll.receive(part, &bytes, log.offset, log.first_offset);
            if part != Part::Older {
                scroll.lines_then = lines;
            }
        }
        None => scroll.loading = None,
    }
    model.dirty = true;
}

fn refusal(model: &mut Model, tag: Tag, error: &Error, cmds: &mut Vec<Cmd>) {
    // The way broke under the question; the banner says so already.
    if error.code == ErrorCode::DaemonUnavailable && model.link == Link::Down {
        return;
    }
    let gone = matches!(
        error.code,
        ErrorCode::SessionNotFound | ErrorCode::SessionRemoved
    );
    let id = match &tag {
        Tag::Record(id) | Tag::Watch(id) | Tag::Type(id) | Tag::Resize(id) | Tag::Kill(id) => {
            Some(id)
        }
        Tag::Restart(id) | Tag::Signal(id) | Tag::Remove(id) | Tag::Log(id, _) => Some(id),
        Tag::Subscribe | Tag::List | Tag::Unwatch | Tag::Start => None,
    };
    if let (true, Some(id)) = (gone, id) {
        forget(model, &id.clone());
        return;
    }
    let name = id.map(|id| model.name_of(id)).unwrap_or_default();
    let what = match &tag {
        Tag::Unwatch => return,
        Tag::Record(id) => {
            refreshed(model, &id.clone(), cmds);
            return;
        }
        Tag::Watch(id) => {
            if let Some(watch) = model.watch.as_mut().filter(|watch| watch.id == *id) {
                watch.problem = Some(error.message.clone());
            }
            model.dirty = true;
            return;
        }
        // It ended under the fingers, and the status line says so.
        Tag::Type(id) if error.code == ErrorCode::SessionNotRunning => {
            refresh(model, &id.clone(), cmds);
            return;
        }
        Tag::Type(_) => format!("Not typed into {name}"),
        Tag::Resize(_) => format!("{name} keeps its size"),
        Tag::Kill(id) => {
            refresh(model, &id.clone(), cmds);
            format!("{name} was not stopped")
        }
        Tag::Restart(_) => format!("{name} did not restart"),
        Tag::Signal(_) => format!("{name} was not paused or continued"),
        Tag::Remove(_) => format!("{name} was not removed"),
        Tag::Log(..) => format!("The log of {name} could not be read"),
        Tag::Start => "Nothing was started".to_owned(),
        Tag::List => "The list could not be had".to_owned(),
        Tag::Subscribe => "Changes will not show".to_owned(),
    };
    match &mut model.mode {
        Mode::Prompt(form) if tag == Tag::Start => form.busy = false,
        Mode::Scroll(scroll, _) if matches!(tag, Tag::Log(..)) => scroll.loading = None,
        _ => {}
    }
    let hint = error.hint.as_deref().map(|hint| format!("  {hint}"));
    model.fail(format!(
        "{what}: {}.{}",
        error.message.trim_end_matches('.'),
        hint.unwrap_or_default()
    ));
}

fn list() -> Cmd {
    let params = List {
        limit: Some(LIST_LIMIT),
        ..List::default()
    };
    Cmd::Ask(Tag::List, Action::List(params))
}
