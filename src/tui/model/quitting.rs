//! Jobs being stopped before the view closes.

use crate::protocol::SessionId;

/// State of stopping all jobs before closing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quitting {
    /// Jobs that have not ended yet.
    pub left: Vec<SessionId>,
    /// Number of jobs at the start.
    pub total: usize,
}
