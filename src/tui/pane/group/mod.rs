//! The pane of a selected group: its jobs, and below them the newest lines of all of them, live. An
//! `output` event of a job leads to one request for its newest lines.

mod draw;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::collections::HashMap;

use serde_json::Value;

pub use self::draw::draw;
use crate::protocol::params::Log;
use crate::protocol::{Action, SessionId};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::job::Job;
use crate::tui::model::merged::MOST_JOBS;
use crate::tui::model::{Link, Model};
use crate::tui::theme::NAME_COLORS;

/// Whether the pane shows a group.
pub fn is_shown(model: &Model) -> bool {
    let is_covered = model.needs().window || model.frame.grid;
    model.group().is_some() && model.layout().pane.is_some() && !is_covered
}

/// Requests the newest lines of the jobs that have written something.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(group) = model.group() else {
        model.pane.merged.up = 0;
        return;
    };
    if model.daemon.link != Link::Up || !is_shown(model) {
        return;
    }
    // This happens after each message, also with thousands of jobs in the group.
    let read = group.jobs.iter().take(MOST_JOBS);
    let mut jobs: Vec<&Job> = read.filter_map(|&index| model.jobs.get(index)).collect();
    let id = |job: &&Job| job.id().clone();
    let ids: Vec<SessionId> = jobs.iter().map(id).collect();
    jobs.sort_by_key(|job| job.record.summary.created_at.millis());
    let by_age: Vec<SessionId> = jobs.iter().map(id).collect();
    let bytes = jobs
        .iter()
        .map(|job| (job.id().clone(), job.record.summary.output_bytes));
    let bytes: HashMap<SessionId, u64> = bytes.collect();
    model.pane.merged.color(&by_age, NAME_COLORS.len());
    model.dirty |= model.pane.merged.set_jobs(&ids);
    // While it is scrolled back, the lines stay as they are.
    if model.pane.merged.up > 0 {
        return;
    }
    // A pane for reading, and one for scrolling back.
    let height = model
        .layout()
        .pane
        .map_or(0, |pane| usize::from(pane.height));
    let count = 2 * height.max(1);
    let written = |id: &SessionId| bytes.get(id).copied().unwrap_or(0);
    while let Some(id) = model.pane.merged.next_request(count, written) {
        let params = Log {
            session_id: Some(id.to_string()),
            tail: Some(count as u64),
            ..Log::default()
        };
        cmds.push(Cmd::Request(RequestKind::Merged(id), Action::Log(params)));
    }
}

/// Handles the newest lines of a job; `None` if they could not be read.
pub fn received(model: &mut Model, id: &SessionId, value: Option<Value>) {
    let read = value.and_then(|value| serde_json::from_value(value).ok());
    model.pane.merged.receive(id, read);
    model.dirty |= is_shown(model);
}

/// Scrolls the lines by `rows`, positive downwards. At the end they are live again.
pub fn scroll(model: &mut Model, rows: isize) {
    let fit = draw::oldest_that_fit(model);
    model.pane.merged.scroll(rows, fit);
}
