//! The queue of sessions that have output to render.

use std::collections::{HashSet, VecDeque};

use crate::protocol::SessionId;

/// Sessions with unrendered output. Each is in the queue at most once.
#[derive(Default)]
pub(crate) struct RenderQueue {
    order: VecDeque<SessionId>,
    queued: HashSet<SessionId>,
}

impl RenderQueue {
    /// Appends a session, unless it is queued already.
    pub(crate) fn add(&mut self, id: &SessionId) {
        if self.queued.insert(id.clone()) {
            self.order.push_back(id.clone());
        }
    }

    /// Takes the session whose turn it is.
    pub(crate) fn next(&mut self) -> Option<SessionId> {
        let id = self.order.pop_front()?;
        self.queued.remove(&id);
        Some(id)
    }

    /// Whether any session is queued.
    pub(crate) fn has_work(&self) -> bool {
        !self.order.is_empty()
    }
}
