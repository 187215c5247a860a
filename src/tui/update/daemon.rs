//! Handles the connection to the daemon: what it asks for at the beginning, and its loss.

use super::errors::refused;
use super::events;
use super::replies::reply;
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::{List, Subscribe};
use crate::protocol::{Action, Error, ErrorCode, EventKind};
use crate::tui::keyboard;
use crate::tui::message::{Cmd, LinkEvent, RequestKind};
use crate::tui::model::{Link, Model};
use crate::tui::modes::scroll::rewind;
use crate::tui::pane::follow;
use crate::tui::requests::queues;
use crate::tui::scrollback::Part;

/// Events that change what is displayed. Those without a sequence number are sent only to clients
/// that name them.
const EVENTS: [EventKind; 31] = [
    EventKind::Started,
    EventKind::Queued,
    EventKind::Placed,
    EventKind::Requeued,
    EventKind::Ready,
    EventKind::Exited,
    EventKind::Paused,
    EventKind::Resumed,
    EventKind::InputNeeded,
    EventKind::Reported,
    EventKind::HumanAsked,
    EventKind::HumanAnswered,
    EventKind::Held,
    EventKind::Released,
    EventKind::Restarted,
    EventKind::Lost,
    EventKind::Adopted,
    EventKind::Limit,
    EventKind::Removed,
    EventKind::Output,
    EventKind::Title,
    EventKind::AgentInput,
    EventKind::Retrying,
    EventKind::Phase,
    EventKind::Changed,
    EventKind::QueuePaused,
    EventKind::QueueResumed,
    EventKind::QueueChanged,
    EventKind::HostUp,
    EventKind::HostDown,
    EventKind::Lag,
];

/// What the error of a daemon that does not answer is about.
const SILENCE: &str = "silence";

/// Handles a message of the connection.
pub(super) fn link_event(model: &mut Model, event: LinkEvent, cmds: &mut Vec<Cmd>) {
    if matches!(event, LinkEvent::Event(_) | LinkEvent::Reply(..)) {
        // It speaks again.
        model.dirty |= model.toasts.settle(SILENCE);
    }
    match event {
        LinkEvent::Up => up(model, cmds),
        LinkEvent::Down => down(model),
        LinkEvent::Silent(error) => {
            let text = match &error.hint {
                Some(hint) => format!("{}. {hint}", error.message),
                None => error.message,
            };
            model.fail_until_settled(SILENCE, text);
        }
        LinkEvent::Event(event) => events::received(model, event, cmds),
        LinkEvent::Reply(tag, Ok(value)) => reply(model, tag, value, cmds),
        LinkEvent::Reply(tag, Err(error)) => refused(model, tag, &error, cmds),
        LinkEvent::Dropped(tag) => {
            let error = match model.daemon.link {
                Link::Up => Error::new(ErrorCode::DaemonUnavailable, "the daemon does not keep up"),
                // The request may have been carried out just before the connection broke.
                _ => Error::new(ErrorCode::DaemonUnavailable, "the daemon is restarting")
                    .hint("See how things are when it is back, then try again."),
            };
            refused(model, tag, &error, cmds);
        }
    }
}

fn up(model: &mut Model, cmds: &mut Vec<Cmd>) {
    model.daemon.link = Link::Up;
    model.watches.clear();
    // No request is pending on a new connection.
    model.refreshing.clear();
    model.usage.on_its_way = false;
    model.dirty = true;
    model.daemon.is_older = false;
    model.daemon.is_list_plain = false;
    model.runs.ask_again();
    cmds.push(subscribe(&EVENTS));
    cmds.push(list(model));
    queues(cmds);
    follow::again(model, cmds);
    rewind::again(model, cmds);
    keyboard::again(model, cmds);
}

/// Subscribes to events.
fn subscribe(events: &[EventKind]) -> Cmd {
    let subscribe = Subscribe {
        events: Some(events.to_vec()),
        ..Subscribe::default()
    };
    Cmd::Request(RequestKind::Subscribe, Action::Subscribe(subscribe))
}

/// Subscribes to the events that an older daemon knows. `false` if that was tried already.
pub(super) fn subscribe_to_less(model: &mut Model, cmds: &mut Vec<Cmd>) -> bool {
    if std::mem::replace(&mut model.daemon.is_older, true) {
        return false;
    }
    let old: Vec<EventKind> = EVENTS
        .into_iter()
        .filter(|kind| {
            !matches!(
                kind,
                EventKind::AgentInput
                    | EventKind::Retrying
                    | EventKind::Phase
                    | EventKind::Changed
                    | EventKind::QueuePaused
                    | EventKind::QueueResumed
                    | EventKind::QueueChanged
                    | EventKind::Queued
                    | EventKind::Placed
                    | EventKind::Requeued
                    | EventKind::Reported
                    | EventKind::HostUp
                    | EventKind::HostDown
            )
        })
        .collect();
    cmds.push(subscribe(&old));
    model.note("This daemon is older: bgproc daemon upgrade brings it up to date, and jobs go on.");
    true
}

/// Asks for the list as an older daemon knows it. `false` if that was tried already.
pub(super) fn list_less(model: &mut Model, cmds: &mut Vec<Cmd>) -> bool {
    if std::mem::replace(&mut model.daemon.is_list_plain, true) {
        return false;
    }
    cmds.push(list(model));
    true
}

/// Handles the loss of the connection: pending requests will not be answered.
fn down(model: &mut Model) {
    model.daemon.link = Link::Down;
    for job in &model.jobs {
        // The next daemon may read the log again, and count on the way.
        let spark = model.sparks.entry(job.id().clone()).or_default();
        spark.know(job.record.summary.output_bytes);
    }
    // Incomplete cards are requested again.
    model.cards.clear();
    model.refreshing.clear();
    model.usage.on_its_way = false;
    model.pane.merged.disconnected();
    model.projects.disconnected();
    model.dirty = true;
    if let Some(scroll) = &mut model.pane.scroll {
        scroll.jump = None;
        // What replaces the text is requested again after reconnecting.
        scroll
            .loading
            .take_if(|part| !matches!(part, Part::First | Part::Around(_)));
    }
    let now = model.now.ms;
    if let Some(mode) = model.mode_mut() {
        mode.disconnected(now);
    }
    if let Some(mode) = model.covered_mut() {
        mode.disconnected(now);
    }
}

/// Asks for the list. What is known of other hosts comes at once; events tell what they answer.
pub(super) fn list(model: &Model) -> Cmd {
    let params = List {
        limit: Some(ALL_SESSIONS),
        host_wait_ms: (!model.daemon.is_list_plain).then_some(0),
        ..List::default()
    };
    Cmd::Request(RequestKind::List, Action::List(params))
}
