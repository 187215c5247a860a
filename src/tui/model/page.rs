//! A page to read: all about a job, or the messages so far.

use super::details::Details;
use crate::protocol::SessionId;

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// All about a job.
    Details(Box<Details>),
    /// The messages so far.
    Messages,
}

/// A page and the place in it.
#[derive(Clone, Debug, PartialEq)]
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

    /// Whether it is the page of this job.
    pub fn is_about(&self, id: &SessionId) -> bool {
        matches!(&self.subject, Subject::Details(about) if about.id == *id)
    }

    /// What was asked for will not come.
    pub fn unasked(&mut self) {
        if let Subject::Details(about) = &mut self.subject {
            about.asked = None;
        }
    }
}
