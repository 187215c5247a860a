//! Who types into jobs besides this view.

use std::collections::{HashMap, HashSet};

use crate::protocol::SessionId;

/// How long an agent that has typed is said to be typing, in milliseconds: twice as long as the daemon waits
/// before it tells again.
const TYPING_MS: i64 = 2000;

/// Keyboards that this view has taken, and those that agents type on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyboards {
    /// Taken from agents until given back.
    pub held: HashSet<SessionId>,
    typing: HashMap<SessionId, i64>,
}

impl Keyboards {
    /// An agent has typed.
    pub fn agent_typed(&mut self, id: SessionId, now: i64) {
        self.typing.insert(id, now + TYPING_MS);
    }

    /// Whether an agent types into this job.
    pub fn agent_types(&self, id: &SessionId) -> bool {
        self.typing.contains_key(id)
    }

    /// Takes away what is due; whether anything went.
    pub fn expire(&mut self, now: i64) -> bool {
        let before = self.typing.len();
        self.typing.retain(|_, until| *until > now);
        self.typing.len() != before
    }

    /// When the next agent is said to type no more.
    pub fn next_due(&self) -> Option<i64> {
        self.typing.values().min().copied()
    }

    /// A job has ended, or is gone: nobody holds its keyboard.
    pub fn forget(&mut self, id: &SessionId) {
        self.held.remove(id);
        self.typing.remove(id);
    }
}
