//! Removed jobs that can still be restored.

use super::job::Job;
use crate::protocol::SessionId;

/// How long a removal can be undone, in milliseconds.
pub const UNDO_MS: i64 = 10_000;

/// Jobs that are shown as removed. The daemon gets the request when the time has passed.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// The jobs.
    pub jobs: Vec<Job>,
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
}
