//! A one-line answer to a job, without opening it.

use super::line::Line;
use crate::protocol::SessionId;

/// An answer that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// To which job.
    pub id: SessionId,
    /// What has been typed.
    pub line: Line,
    /// Whether it must not show.
    pub hidden: bool,
}
