//! Requests and receives the data for the card of a failed job that is shown in the pane. The card of a job that
//! waits (`waiting`) needs no data but the records.

pub mod draw;
mod waiting;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use serde_json::Value;

use crate::protocol::params::{List, Log, StatusParams};
use crate::protocol::reply::{Listed, LogLines};
use crate::protocol::{Action, Record, SessionId};
use crate::tui::message::{CardPart, Cmd, RequestKind};
use crate::tui::model::card::{Card, LINES, Owner};
use crate::tui::model::{Link, Model};

/// After each message: requests data for the job in the pane if it failed and this end has no card
/// yet.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.daemon.link != Link::Up || model.in_grid() || model.layout().pane.is_none() {
        return;
    }
    let Some(job) = model.current().filter(|job| job.state().failed()) else {
        return;
    };
    let (id, ended_at) = (job.id().clone(), job.record.summary.ended_at);
    let is_known = |card: &Card| card.ended_at == ended_at;
    if model.cards.get(&id).is_some_and(is_known) {
        return;
    }
    model.cards.insert(id.clone(), Card::new(ended_at));
    cmds.push(request(&id, CardPart::Runs));
}

/// Stores a part and requests those that follow from it.
pub fn received(
    model: &mut Model,
    id: &SessionId,
    part: CardPart,
    value: Value,
    cmds: &mut Vec<Cmd>,
) {
    model.dirty = true;
    let command = model.job(id).map(|job| job.command.clone());
    let Some(card) = model.cards.get_mut(id) else {
        return;
    };
    let next = match part {
        CardPart::Runs => {
            let record = serde_json::from_value::<Record>(value).ok();
            let detail = record.and_then(|record| record.detail);
            card.runs(&detail.map(|detail| detail.runs).unwrap_or_default())
        }
        CardPart::Output(_) => match serde_json::from_value::<LogLines>(value) {
            Ok(log) => card.output(&log, &command.unwrap_or_default()),
            Err(_) => Vec::new(),
        },
        CardPart::Before(_) => {
            if let Ok(log) = serde_json::from_value::<LogLines>(value) {
                card.before(&log);
            }
            Vec::new()
        }
        CardPart::Port(port) => {
            let listed = serde_json::from_value::<Listed<Record>>(value);
            let jobs = listed.map(|listed| listed.sessions).unwrap_or_default();
            let has_it = |record: &&Record| {
                let ports = record.summary.ports.as_deref().unwrap_or_default();
                ports.contains(&port) && record.summary.session_id != *id
            };
            card.owner = jobs.iter().find(has_it).map(Owner::of);
            Vec::new()
        }
    };
    cmds.extend(next.into_iter().map(|part| request(id, part)));
}

/// The request for a part of a job's card.
pub fn action(id: &SessionId, part: CardPart) -> Action {
    match part {
        CardPart::Runs => Action::Status(StatusParams {
            session_id: id.to_string(),
            detail: Some(true),
            ..StatusParams::default()
        }),
        CardPart::Output(run) | CardPart::Before(run) => Action::Log(Log {
            session_id: Some(id.to_string()),
            run: Some(run),
            lines: Some(LINES),
            ..Log::default()
        }),
        CardPart::Port(_) => Action::List(List {
            include_ports: Some(true),
            // The holder of a port is on the same machine.
            hosts: id.host().map(|host| vec![host.to_owned()]),
            ..List::default()
        }),
    }
}

fn request(id: &SessionId, part: CardPart) -> Cmd {
    Cmd::Request(RequestKind::Card(id.clone(), part), action(id, part))
}
