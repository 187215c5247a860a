//! A page of text: the details of a job, or the message history.

use super::details::Details;
use crate::protocol::SessionId;

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The details of a job.
    Details(Box<Details>),
    /// The message history.
    Messages,
}

/// A page and its scroll position.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What it is about.
    pub subject: Subject,
    /// Index of the first visible line.
    pub top: usize,
}

impl Page {
    /// The mode name at the bottom left.
    pub fn name(&self) -> &'static str {
        match self.subject {
            Subject::Details(_) => "DETAILS",
            Subject::Messages => "MESSAGES",
        }
    }

    /// Whether this is the details page of the job.
    pub fn is_about(&self, id: &SessionId) -> bool {
        matches!(&self.subject, Subject::Details(about) if about.id == *id)
    }

    /// Clears the pending request, because its reply will not arrive.
    pub fn unasked(&mut self) {
        if let Subject::Details(about) = &mut self.subject {
            about.asked = None;
        }
    }
}
