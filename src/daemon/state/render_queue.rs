//! The sessions that have output to render, in turns.

use std::collections::{HashSet, VecDeque};

use crate::protocol::SessionId;

/// Sessions with output that was not rendered yet. Each has one turn at a time.
#[derive(Default)]
pub(crate) struct RenderQueue {
    order: VecDeque<SessionId>,
    queued: HashSet<SessionId>,
}

impl RenderQueue {
    /// Gives a session a turn, unless it waits for one already.
    pub(crate) fn add(&mut self, id: &SessionId) {
        if self.queued.insert(id.clone()) {
            self.order.push_back(id.clone());
        }
    }

    /// The session whose turn it is.
    pub(crate) fn next(&mut self) -> Option<SessionId> {
        let id = self.order.pop_front()?;
        self.queued.remove(&id);
        Some(id)
    }

    /// Whether any session waits for its turn.
    pub(crate) fn has_work(&self) -> bool {
        !self.order.is_empty()
    }
}
