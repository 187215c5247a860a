//! Notifications and the window title, for a person who is looking at something else.

use serde_json::Value;

use crate::config::Notify;
use crate::protocol::event::Completion;
use crate::protocol::report::Activity;
use crate::protocol::run::{EndedBy, EndedByKind};
use crate::protocol::status::{Asks, InputState};
use crate::protocol::{Event, EventKind, Notice, RestartPolicy, Status};
use crate::term::sanitize::clean;
use crate::tui::message::{Cmd, Effect};
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::state::agent;
use crate::tui::units;

/// Minimum running time of a job whose successful end is notified, in milliseconds.
const LONG_MS: u64 = 10_000;

/// Notifies of an event while the window has no focus.
pub(super) fn notify(model: &Model, event: &Event, cmds: &mut Vec<Cmd>) {
    if model.focused || model.options.notify == Notify::None {
        return;
    }
    // Late reports about unknown jobs are not worth a notification.
    let job = event.session_id.as_ref().and_then(|id| model.job(id));
    let Some(job) = job else {
        return;
    };
    let Some(what) = words(job, event).or_else(|| wanted(job, event)) else {
        return;
    };
    let text = clean(&format!("{} {what}", job.name));
    let desktop = model.options.notify == Notify::Desktop;
    let effect = Effect::Notify("bgproc".to_owned(), text, desktop);
    cmds.push(Cmd::Effect(effect));
}

/// The text for an event, if it is worth a notification.
fn words(job: &Job, event: &Event) -> Option<String> {
    match event.event {
        EventKind::InputNeeded => input_needed(job, event),
        EventKind::Reported => blocked(event),
        EventKind::HumanAsked => {
            let message = event.data.get("message").and_then(Value::as_str);
            let by = asker(event);
            Some(match (message, by) {
                (Some(message), Some(by)) => format!("needs you, {by} asks: {message}"),
                (Some(message), None) => format!("needs you: {message}"),
                (None, Some(by)) => format!("needs you: {by} asks"),
                (None, None) => "needs you: an agent asks".to_owned(),
            })
        }
        EventKind::Ready => Some("is ready".to_owned()),
        EventKind::Lost => Some("is lost".to_owned()),
        EventKind::Retrying => keeps_ending(event),
        EventKind::Exited => ended(&serde_json::from_value(event.data.clone()).ok()?),
        _ => None,
    }
}

/// The text for an event that is worth a notification because the job asks for it.
fn wanted(job: &Job, event: &Event) -> Option<String> {
    let end: Completion = match event.event {
        EventKind::Exited => serde_json::from_value(event.data.clone()).ok()?,
        _ => return None,
    };
    (end.status == Status::Done && wants(job, Notice::Done)).then(|| done(&end))
}

/// Whether people are to be notified of this.
pub(super) fn wants(job: &Job, notice: Notice) -> bool {
    job.record.summary.notify.contains(&notice)
}

/// How a job has ended well.
pub(super) fn done(end: &Completion) -> String {
    let took = units::took(i64::try_from(end.runtime_ms).unwrap_or(i64::MAX));
    format!("is done, took {took}")
}

/// The text for a job that its restart policy has run again so often in a row that it does not work; only once.
pub(super) fn keeps_ending(event: &Event) -> Option<String> {
    let retry = event.data.get("retry").and_then(Value::as_u64)?;
    let is_it = retry == u64::from(RestartPolicy::KEEPS_ENDING);
    is_it.then(|| format!("keeps ending: {retry} restarts in a row"))
}

/// The text for a program that reports that it cannot go on.
pub(super) fn blocked(event: &Event) -> Option<String> {
    let word = |name: &str| event.data.get(name).and_then(Value::as_str);
    let is_blocked = word("state") == Some(Activity::Blocked.as_str());
    let message = word("message").map(clean);
    is_blocked.then(|| match message {
        Some(message) => format!("is blocked: {message}"),
        None => "is blocked".to_owned(),
    })
}

/// What input the job of an event needs from a person; `None` if it needs none.
pub(super) fn input_needed(job: &Job, event: &Event) -> Option<String> {
    let state = event.data.get("inputState")?.clone();
    let state: InputState = serde_json::from_value(state).ok()?;
    let is_wanted = state == InputState::Line && wants(job, Notice::Input);
    match state.asks(job.record.summary.mode) {
        Some(Asks::Password) => Some("needs a password".to_owned()),
        Some(Asks::Line) => Some("needs input".to_owned()),
        None => is_wanted.then(|| "needs input".to_owned()),
    }
}

/// The name of the agent that asks.
pub(super) fn asker(event: &Event) -> Option<String> {
    let by = event.data.get("by")?.clone();
    agent(&serde_json::from_value::<EndedBy>(by).ok()?)
}

/// How a job ended, if it is worth a notification.
pub(super) fn ended(end: &Completion) -> Option<String> {
    let took = || units::took(i64::try_from(end.runtime_ms).unwrap_or(i64::MAX));
    match (end.status, end.exit_code, &end.signal) {
        (Status::Done, ..) if end.runtime_ms > LONG_MS => Some(done(end)),
        (Status::Error, Some(code), _) => Some(format!("failed: exit {code}, after {}", took())),
        (Status::Error, None, Some(signal)) => Some(format!("failed: {signal}, after {}", took())),
        (Status::Error, None, None) => Some("failed".to_owned()),
        (Status::TimedOut, ..) => Some(format!("timed out after {}", took())),
        // A person who ended it knows.
        (Status::Killed, ..) => match end.ended_by.as_ref()?.kind {
            EndedByKind::Agent => {
                let by = end.ended_by.as_ref().and_then(agent);
                let by = by.as_deref().unwrap_or("an agent");
                Some(format!("was ended by {by}"))
            }
            EndedByKind::Limit => Some("was ended: it reached a limit".to_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// Sets the window title to what waits for a person, only when that changes.
pub(super) fn reconcile_title(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let closes = cmds.iter().any(|cmd| matches!(cmd, Cmd::Quit(_)));
    if !model.daemon.listed || closes {
        return;
    }
    let title = match model.counts().input {
        0 => "bgproc".to_owned(),
        1 => "bgproc: 1 needs input".to_owned(),
        n => format!("bgproc: {n} need input"),
    };
    if model.title.as_ref() != Some(&title) {
        cmds.push(Cmd::Effect(Effect::Title(title.clone())));
        model.title = Some(title);
    }
}
