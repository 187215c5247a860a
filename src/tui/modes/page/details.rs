//! The details of a job, as far as the daemon has sent them.

use crate::protocol::reply::LogLine;
use crate::protocol::{Record, SessionId};

/// State of the details page.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// The job.
    pub id: SessionId,
    /// Its record with process tree, ports and runs; `None` until the reply arrives.
    pub record: Option<Box<Record>>,
    /// Input typed into the job, oldest first.
    pub typed: Vec<LogLine>,
    /// `Some` while a request for the record is pending; `Some(true)` if the job has changed since
    /// it was sent.
    pub pending: Option<bool>,
}

impl Details {
    /// A page without data.
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            record: None,
            typed: Vec::new(),
            pending: None,
        }
    }
}
