//! Keeps what was seen from one view to the next.

use crate::client::host;
use crate::protocol::SessionId;
use crate::recall::seen_jobs::{self, JobSeen, SeenJobs};
use crate::tui::model::seen::{Seen, SeenTracker};
use crate::tui::model::{Attached, Model};

/// Loads what earlier views have seen.
pub fn recall(model: &mut Model) {
    let Some(looked) = seen_jobs::recall(host::name()) else {
        return;
    };
    let seen = looked.jobs.iter().filter_map(|(id, job)| {
        let (lines, at) = (job.lines, job.at);
        Some((SessionId::parse_any(id)?, Seen { lines, at }))
    });
    model.seen = SeenTracker::new(seen.collect());
    model.last_open = Some((looked.at, looked.seq));
}

/// Saves what this view has seen.
pub fn keep(model: &Model) {
    let seen = model.seen.seen().iter().map(|(id, seen)| {
        let (lines, at) = (seen.lines, seen.at);
        (id.to_string(), JobSeen { lines, at })
    });
    let (at, seq) = match (&model.attached, model.last_open) {
        // A view of a single job has not reported on other jobs, so keep the old values.
        (Attached::Yes(_) | Attached::Awaited(_), Some(before)) => before,
        // The daemon has not replied, so the next view must request events from the same number
        // again.
        (_, Some((_, seq))) if model.daemon.seq == 0 => (model.now.ms, seq),
        _ => (model.now.ms, model.daemon.seq),
    };
    let looked = SeenJobs {
        at,
        seq,
        jobs: seen.collect(),
    };
    // Before the list arrives it is not known which jobs are gone.
    seen_jobs::remember(&looked, host::name(), |id| {
        !model.daemon.listed || model.job(id).is_some()
    });
}
