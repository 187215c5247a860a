//! Summary of what happened while no view was open: requested with the first list, and shown until
//! it is dismissed.

use serde_json::Value;

use crate::protocol::params::Events;
use crate::protocol::reply::Happened;
use crate::protocol::{Action, Event, Timestamp};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::away::Away;
use crate::tui::model::hosts::is_shown;
use crate::tui::model::{Attached, Model};
use crate::tui::units;

/// Each summary takes the place of the one before.
const TOPIC: &str = "away";

/// Number of events in one reply; the daemon's own limit.
const PAGE: usize = 1000;

/// Requests the events if a view was open before.
pub(super) fn request(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some((at, seq)) = model.last_open.filter(|_| model.attached == Attached::No) else {
        return;
    };
    model.away = Some(Away::new(at, model.now.ms));
    cmds.push(page(seq));
}

/// Handles a page of events; after the last page, shows the summary.
pub(super) fn received(model: &mut Model, value: Value, cmds: &mut Vec<Cmd>) {
    let (Some(mut away), Ok(page_of)) =
        (model.away.take(), serde_json::from_value::<Happened>(value))
    else {
        return;
    };
    for event in &page_of.events {
        away.add(event);
    }
    model.daemon.seq = model.daemon.seq.max(page_of.next_seq);
    if page_of.events.len() >= PAGE {
        cmds.push(page(page_of.next_seq));
        model.away = Some(away);
        return;
    }
    away.complete = true;
    tell(model, &away);
    model.away = Some(away);
}

/// How long after a host was connected its events are those that had been missed, in milliseconds.
const BACKLOG_MS: i64 = 10_000;

/// Takes what a host tells after the view was opened.
pub(super) fn happened(model: &mut Model, event: &Event) {
    let host = event.session_id.as_ref().and_then(|id| id.host());
    let host = host.and_then(|name| model.host(name));
    let since = host.and_then(|host| host.since).map(Timestamp::millis);
    let is_backlog = since.is_none_or(|since| model.now.ms - since < BACKLOG_MS);
    if let Some(away) = model.away.as_mut().filter(|_| is_backlog) {
        away.add_late(event);
    }
}

/// Adds what a host tells late, when the state of its job is known.
pub(super) fn reconcile(model: &mut Model) {
    let Some(away) = model.away.as_mut().filter(|away| !away.late.is_empty()) else {
        return;
    };
    away.late.retain(|id| model.refreshing.contains_key(id));
    if away.late.is_empty()
        && let Some(away) = model.away.take()
    {
        tell(model, &away);
        model.away = Some(away);
    }
}

fn tell(model: &mut Model, away: &Away) {
    let summary = away.summary(&model.jobs);
    if summary.is_empty() {
        return;
    }
    let when = units::since(away.since, model.now.ms, &model.zone);
    let missing: Vec<&str> = model
        .hosts
        .iter()
        .filter(|host| is_shown(host))
        .map(|host| host.name.as_str())
        .collect();
    let missing = match missing.as_slice() {
        [] => String::new(),
        [name] => format!(" ({name} is not connected)"),
        names => format!(" ({} are not connected)", names.join(", ")),
    };
    model.note_until_dismissed(TOPIC, format!("since {when}: {summary}{missing}"));
}

fn page(after: u64) -> Cmd {
    let params = Events {
        after_seq: Some(after),
        limit: Some(PAGE),
        ..Events::default()
    };
    Cmd::Request(RequestKind::Away, Action::Events(params))
}
