//! Records that are written once nothing more urgent is left to do.
//!
//! Whoever has asked for a first start is answered before the record is written again: the record has said since before
//! the start that the session starts, and the keeper tells a next daemon the rest. The record of a program that ends at
//! once is then written only for its end.

use std::collections::BTreeSet;
use std::rc::Rc;

use tokio::sync::Notify;

use super::State;
use crate::protocol::SessionId;

/// The sessions whose records are to be written.
#[derive(Default)]
pub(crate) struct Saves {
    due: BTreeSet<SessionId>,
    added: Rc<Notify>,
}

impl Saves {
    /// Notified when there is a record to write.
    pub(crate) fn added(&self) -> Rc<Notify> {
        self.added.clone()
    }

    /// A record was written.
    pub(super) fn written(&mut self, id: &SessionId) {
        self.due.remove(id);
    }
}

impl State {
    /// Has a session's record written soon.
    pub(super) fn persist_soon(&mut self, id: &SessionId) {
        self.saves.due.insert(id.clone());
        self.saves.added.notify_one();
        self.arm(id);
    }

    /// Writes the records that are due.
    pub(crate) fn persist_due(&mut self) {
        for id in std::mem::take(&mut self.saves.due) {
            self.persist(&id);
        }
    }
}
