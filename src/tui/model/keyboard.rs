//! Who else types into jobs besides this view.

use std::collections::{HashMap, HashSet};

use super::Model;
use super::job::Job;
use crate::protocol::SessionId;

/// How long an agent is shown as typing after its last input, in milliseconds. Twice the interval
/// at which the daemon repeats the event.
const TYPING_MS: i64 = 2000;

/// An agent that is typing.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Typist {
    name: Option<String>,
    until: i64,
}

/// Keyboards held by this view, and jobs that agents type into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyboards {
    /// Jobs whose keyboard this view has taken from agents and not yet returned. The end of a run releases it, and the
    /// next run gets it again.
    pub held: HashSet<SessionId>,
    typing: HashMap<SessionId, Typist>,
}

impl Keyboards {
    /// Records that an agent, of this name, typed into a job.
    pub fn agent_typed(&mut self, id: SessionId, name: Option<String>, now: i64) {
        let until = now + TYPING_MS;
        self.typing.insert(id, Typist { name, until });
    }

    /// The name of the agent that is typing into this job.
    pub fn agent(&self, id: &SessionId) -> Option<&str> {
        self.typing.get(id)?.name.as_deref()
    }

    /// Whether an agent is typing into this job.
    pub fn agent_types(&self, id: &SessionId) -> bool {
        self.typing.contains_key(id)
    }

    /// Drops expired entries; returns whether there were any.
    pub fn expire(&mut self, now: i64) -> bool {
        let before = self.typing.len();
        self.typing.retain(|_, typist| typist.until > now);
        self.typing.len() != before
    }

    /// When the next entry expires.
    pub fn next_due(&self) -> Option<i64> {
        self.typing.values().map(|typist| typist.until).min()
    }

    /// A job has ended: nobody types into it any longer.
    pub fn ended(&mut self, id: &SessionId) {
        self.typing.remove(id);
    }

    /// Forgets a job that was removed.
    pub fn forget(&mut self, id: &SessionId) {
        self.held.remove(id);
        self.typing.remove(id);
    }
}

impl Model {
    /// Whether this view holds the keyboard of a job that takes input.
    pub fn holds_keyboard(&self, id: &SessionId) -> bool {
        self.keyboards.held.contains(id) && self.job(id).is_some_and(Job::is_going)
    }
}
