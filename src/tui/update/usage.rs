//! Resource usage of jobs: requested while something happens and it is visible, and merged into the
//! records.

use std::collections::HashMap;

use serde_json::Value;

use super::daemon::LIST_LIMIT;
use super::msg::{Cmd, Tag};
use super::page;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::{Action, Record, SessionId};
use crate::tui::model::mode::Mode;
use crate::tui::model::sort::Sort;
use crate::tui::model::usage::{self, AT_WORK};
use crate::tui::model::{Link, Model};

/// Sends the request if it is due.
pub(super) fn settle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    if model.usage_due().is_none_or(|at| at > now) {
        return;
    }
    model.usage.asked_at = now;
    model.usage.on_its_way = true;
    let params = List {
        limit: Some(LIST_LIMIT),
        include_ports: Some(true),
        ..List::default()
    };
    cmds.push(Cmd::Ask(Tag::Usage, Action::List(params)));
    // Processes come and go without an event.
    page::refresh(model, cmds);
}

/// Stores the usage. Unknown jobs are ignored, because events announce those.
pub(super) fn came(model: &mut Model, value: Value) {
    model.usage.on_its_way = false;
    let Ok(listed) = serde_json::from_value::<Listed<Record>>(value) else {
        return;
    };
    let told = listed.sessions.into_iter();
    let mut told: HashMap<SessionId, Record> = told
        .map(|record| (record.summary.session_id.clone(), record))
        .collect();
    let mut changed = false;
    for job in &mut model.jobs {
        let Some(record) = told.remove(job.id()) else {
            continue;
        };
        if record.summary.cpu_percent.is_some_and(|cpu| cpu >= AT_WORK) {
            model.usage.touch(model.now.ms);
        }
        changed |= usage::merge(job, record.summary, record.processes);
    }
    model.dirty |= changed;
    model.stale |= changed && model.sort == Sort::Cpu;
}

/// Handles an error reply.
pub(super) fn failed(model: &mut Model) {
    model.usage.on_its_way = false;
}

impl Model {
    /// When to request usage; `None` while it is not visible or nothing runs.
    pub fn usage_due(&self) -> Option<i64> {
        let wanted = self.link == Link::Up
            && self.listed
            && !self.usage.on_its_way
            && self.shows_usage()
            && self.jobs.iter().any(|job| job.is_alive());
        wanted.then(|| self.usage.due(self.now.ms))
    }

    /// Whether usage is visible: in rows, above tiles, in the status line, or on the details page.
    fn shows_usage(&self) -> bool {
        let below = matches!(self.mode, Mode::Normal) && self.layout().status.is_some();
        self.layout().list.is_some()
            || self.frame.grid
            || below
            || matches!(self.mode, Mode::Page(_))
    }
}
