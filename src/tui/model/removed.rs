//! What was removed a moment ago, and is not gone yet.

use super::job::Job;
use crate::protocol::SessionId;

/// How long it can be put back, in milliseconds.
pub const UNDO_MS: i64 = 10_000;

/// Jobs that show as removed; the daemon is told once the time is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// When the daemon is told, in milliseconds since the epoch.
    pub until: i64,
    /// What the toast says, so that it can be taken back.
    pub said: String,
}

impl Removed {
    /// Takes a job out, because it is none of this any more.
    pub fn take(&mut self, id: &SessionId) -> Option<Job> {
        let at = self.jobs.iter().position(|job| job.id() == id)?;
        Some(self.jobs.remove(at))
    }
}
