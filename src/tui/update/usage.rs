//! Resource usage of jobs: requested while something happens and it is visible, and merged into the
//! records.

use std::collections::HashMap;

use serde_json::Value;

use crate::config::LOCAL;
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::{Action, Record, SessionId};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::Model;
use crate::tui::model::sort::Sort;
use crate::tui::model::usage::{self, AT_WORK};
use crate::tui::modes::page;
use crate::tui::requests::refresh;

/// Sends the request if it is due.
pub(super) fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    if model.usage_due().is_none_or(|at| at > now) {
        return;
    }
    model.usage.asked_at = now;
    model.usage.on_its_way = true;
    let params = List {
        limit: Some(ALL_SESSIONS),
        include_ports: Some(true),
        // Those of other hosts are asked over the network: only where the person looks.
        hosts: (!model.hosts.is_empty()).then(|| {
            let host = model.selected_host().map(str::to_owned);
            std::iter::once(LOCAL.to_owned()).chain(host).collect()
        }),
        ..List::default()
    };
    cmds.push(Cmd::Request(RequestKind::Usage, Action::List(params)));
    // Processes come and go without an event.
    page::refresh(model, cmds);
}

/// Stores the usage. Unknown jobs are ignored, because events announce those. No event of an older daemon tells that a
/// job has another name or group, or has left the file of its project, so its record is requested again.
pub(super) fn received(model: &mut Model, value: Value, cmds: &mut Vec<Cmd>) {
    model.usage.on_its_way = false;
    let Ok(listed) = serde_json::from_value::<Listed<Record>>(value) else {
        return;
    };
    let records = listed.sessions.into_iter();
    let mut reported: HashMap<SessionId, Record> = records
        .map(|record| (record.summary.session_id.clone(), record))
        .collect();
    let (mut changed, mut moved) = (false, Vec::new());
    for job in &mut model.jobs {
        let Some(record) = reported.remove(job.id()) else {
            continue;
        };
        if record.summary.cpu_percent.is_some_and(|cpu| cpu >= AT_WORK) {
            model.usage.touch(model.now.ms);
        }
        let known = &job.record.summary;
        let is_renamed =
            (&record.summary.label, &record.summary.group) != (&known.label, &known.group);
        if is_renamed || record.summary.project.is_some() != job.role().is_some() {
            moved.push(job.id().clone());
        }
        changed |= usage::merge(job, record.summary, record.processes);
    }
    for id in &moved {
        refresh(model, id, cmds);
    }
    model.dirty |= changed;
    model.list.stale |= changed && model.list.sort == Sort::Cpu;
}

/// Handles an error reply.
pub(super) fn failed(model: &mut Model) {
    model.usage.on_its_way = false;
}
