//! Toasts about jobs that are not in view: they ask, fail, or are ended by an agent.

use serde_json::Value;

use super::notify::{asker, blocked, done, ended, input_needed, keeps_ending, wants};
use crate::protocol::event::Completion;
use crate::protocol::run::EndedByKind;
use crate::protocol::{Event, EventKind, Notice, SessionId, Status};
use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::model::alerts::What;
use crate::tui::model::job::Job;
use crate::tui::state::agent;

/// Shows a toast about an event, unless the person sees the job or has caused it.
pub(super) fn alert(model: &mut Model, event: &Event) {
    let Some(id) = &event.session_id else {
        return;
    };
    if model.is_in_view(id) {
        return;
    }
    let what = model.job(id).and_then(|job| what(job, event));
    if let Some(what) = what {
        model.alert(id, what);
    }
}

/// Whether a toast may tell of such an event.
pub(super) fn may_tell(kind: EventKind) -> bool {
    use EventKind::{Exited, HumanAsked, InputNeeded, Lost, Ready, Reported, Retrying};
    matches!(
        kind,
        InputNeeded | Reported | HumanAsked | Lost | Exited | Ready | Retrying
    )
}

/// After each message: a job that is in view needs no toast any longer.
pub(super) fn reconcile(model: &mut Model) {
    let seen: Vec<SessionId> = model
        .alerts
        .jobs()
        .filter(|id| model.is_in_view(id) || model.job(id).is_none())
        .cloned()
        .collect();
    for id in seen {
        model.answer_alert(&id);
    }
}

fn what(job: &Job, event: &Event) -> Option<What> {
    match event.event {
        EventKind::InputNeeded => input_needed(job, event).map(What::Input),
        EventKind::Reported => blocked(event).map(What::Input),
        EventKind::HumanAsked => {
            let message = event.data.get("message").and_then(Value::as_str);
            let message = clean(message.unwrap_or_default());
            let by = asker(event).unwrap_or_else(|| "an agent".to_owned());
            Some(What::Asked { by, message })
        }
        EventKind::Lost => Some(What::Failed("is lost".to_owned())),
        EventKind::Retrying => keeps_ending(event).map(What::Failed),
        EventKind::Exited => {
            let end: Completion = serde_json::from_value(event.data.clone()).ok()?;
            if end.status == Status::Done && wants(job, Notice::Done) {
                Some(What::Wanted(done(&end)))
            } else {
                exited(&end)
            }
        }
        EventKind::Ready if wants(job, Notice::Ready) => Some(What::Wanted("is ready".to_owned())),
        _ => None,
    }
}

fn exited(end: &Completion) -> Option<What> {
    let by = end.ended_by.as_ref();
    match by.map(|by| by.kind) {
        // It is run again, or the job whose end is the reason is told.
        Some(
            EndedByKind::Human | EndedByKind::Watch | EndedByKind::Schedule | EndedByKind::Project,
        ) => None,
        Some(EndedByKind::Agent) => {
            let by = by.and_then(agent).unwrap_or_else(|| "an agent".to_owned());
            Some(What::Ended { by })
        }
        _ if end.status == Status::Done => None,
        _ if end.status == Status::TimedOut => Some(What::TimedOut),
        _ => Some(What::Failed(clean(&ended(end)?))),
    }
}
