//! Removed jobs that can still be restored.

use std::collections::HashMap;

use super::job::Job;
use crate::protocol::SessionId;

/// How long a removal can be undone, in milliseconds.
pub const UNDO_MS: i64 = 10_000;

/// Jobs that are shown as removed. The daemon gets the request when the time has passed.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// All jobs at the time of the removal, in their order.
    pub order: Vec<SessionId>,
    /// When the request is sent to the daemon, in milliseconds since the epoch.
    pub until: i64,
    /// Text of the toast, so that the toast can be withdrawn.
    pub said: String,
}

impl Removed {
    /// Takes a job out of the removal and returns it, if it was part of it.
    pub fn take(&mut self, id: &SessionId) -> Option<Job> {
        let at = self.jobs.iter().position(|job| job.id() == id)?;
        Some(self.jobs.remove(at))
    }

    /// Puts the jobs back among the others, where they were. Jobs that have come since are behind them.
    pub fn put_back(self, jobs: &mut Vec<Job>) {
        jobs.extend(self.jobs);
        let places: HashMap<&SessionId, usize> = self.order.iter().zip(0..).collect();
        jobs.sort_by_key(|job| places.get(job.id()).copied().unwrap_or(usize::MAX));
    }
}
