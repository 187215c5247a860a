//! Asks for the runs of the job in the pane, for the lines between them.

use crate::protocol::params::StatusParams;
use crate::protocol::{Action, Record, SessionId};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::{Link, Model};

/// Asks for the runs of the selected job if it was restarted since they were asked for.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current().filter(|_| model.daemon.link == Link::Up) else {
        return;
    };
    let (id, restarts) = (job.id().clone(), job.record.summary.restarts);
    if restarts > 0 && model.runs.ask(&id, restarts) {
        request(&id, cmds);
    }
}

/// Asks for the runs of a job.
pub fn request(id: &SessionId, cmds: &mut Vec<Cmd>) {
    let params = StatusParams {
        session_id: id.to_string(),
        detail: Some(true),
        ..StatusParams::default()
    };
    let tag = RequestKind::Runs(id.clone());
    cmds.push(Cmd::Request(tag, Action::Status(params)));
}

/// Stores the runs of a job; `None` if they are not available.
pub fn received(model: &mut Model, id: &SessionId, record: Option<Record>) {
    model.dirty = true;
    let runs = record
        .and_then(|record| record.detail)
        .map(|detail| detail.runs);
    model.runs.store(id, runs.unwrap_or_default());
    let (offsets, breaks) = model.run_places(id);
    if let Some(scroll) = model.pane.scroll.as_mut().filter(|scroll| scroll.id == *id) {
        scroll.set_runs(offsets, breaks);
    }
}
