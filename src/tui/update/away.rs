//! Summary of what happened while no view was open: requested with the first list, and shown until
//! it is dismissed.

use serde_json::Value;

use crate::protocol::Action;
use crate::protocol::params::Events;
use crate::protocol::reply::Happened;
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::away::Away;
use crate::tui::model::{Attached, Model};
use crate::tui::units;

/// Number of events in one reply; the daemon's own limit.
const PAGE: usize = 1000;

/// Requests the events if a view was open before.
pub(super) fn request(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some((at, seq)) = model.last_open.filter(|_| model.attached == Attached::No) else {
        return;
    };
    model.away = Some(Away::new(at));
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
    model.seq = model.seq.max(page_of.next_seq);
    if page_of.events.len() >= PAGE {
        cmds.push(page(page_of.next_seq));
        model.away = Some(away);
        return;
    }
    let summary = away.summary(&model.jobs);
    if !summary.is_empty() {
        let when = units::since(away.since, model.now.ms, &model.zone);
        model.note_until_dismissed(format!("since {when}: {summary}"));
    }
}

fn page(after: u64) -> Cmd {
    let params = Events {
        after_seq: Some(after),
        limit: Some(PAGE),
        ..Events::default()
    };
    Cmd::Request(RequestKind::Away, Action::Events(params))
}
