//! Jobs that are being stopped before the view closes.

use crate::protocol::SessionId;

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quitting {
    /// Those that have not ended yet.
    pub left: Vec<SessionId>,
    /// How many there were.
    pub total: usize,
}
