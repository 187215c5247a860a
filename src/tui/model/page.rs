//! A page to read: all about a job, or the messages so far.

use crate::protocol::SessionId;

/// What a page is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All about a job.
    Details(SessionId),
    /// The messages so far.
    Messages,
}

/// A page and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What it is about.
    pub subject: Subject,
    /// First line shown.
    pub top: usize,
}

impl Page {
    /// What stands at the bottom left.
    pub fn name(&self) -> &'static str {
        match self.subject {
            Subject::Details(_) => "DETAILS",
            Subject::Messages => "MESSAGES",
        }
    }
}
