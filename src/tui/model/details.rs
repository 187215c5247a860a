//! All about a job, as far as the daemon has told it by now.

use crate::protocol::reply::LogLine;
use crate::protocol::{Record, SessionId};

/// What the page of a job knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// Whose page it is.
    pub id: SessionId,
    /// Its record with process tree, ports and runs; `None` until it has come.
    pub record: Option<Box<Record>>,
    /// What was typed, oldest first.
    pub typed: Vec<LogLine>,
    /// Whether the record is on its way, and whether more has happened since (`Some(true)`).
    pub asked: Option<bool>,
}

impl Details {
    /// A page that knows nothing yet.
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            record: None,
            typed: Vec::new(),
            asked: None,
        }
    }
}
