//! Scans of the system's process table, shared by all callers that need one at the same time.
//!
//! The cost of a scan grows with the processes of the machine. When a thousand sessions are ended
//! together, they share a few scans instead of needing a few each.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tokio::sync::oneshot;

use super::Sessions;
use crate::protocol::SessionId;
use crate::sys::process::Process;
use crate::sys::tree::{self, Leader};

/// The callers that wait for the next scan.
#[derive(Default)]
pub(crate) struct ProcessScan {
    pending: Vec<Pending>,
}

struct Pending {
    id: SessionId,
    leader: Option<Leader>,
    answer: oneshot::Sender<Vec<Process>>,
}

impl ProcessScan {
    /// Asks for the live processes of a session whose first process is `leader`. The flag is true for the first
    /// caller, which has to make sure that [`ProcessScan::run`] is called.
    pub(crate) fn request(
        &mut self,
        id: SessionId,
        leader: Option<Leader>,
    ) -> (oneshot::Receiver<Vec<Process>>, bool) {
        let (answer, found) = oneshot::channel();
        self.pending.push(Pending { id, leader, answer });
        (found, self.pending.len() == 1)
    }

    /// Scans once and answers the callers. Returns false if a caller still waits, because two callers gave
    /// different first processes for one session.
    pub(crate) fn run(&mut self, sessions: &Sessions) -> bool {
        let mut asked: HashMap<SessionId, Option<Leader>> = HashMap::new();
        let mut due = Vec::new();
        for pending in std::mem::take(&mut self.pending) {
            match asked.entry(pending.id.clone()) {
                Entry::Occupied(other) if *other.get() != pending.leader => {
                    self.pending.push(pending);
                    continue;
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(place) => {
                    place.insert(pending.leader);
                }
            }
            due.push(pending);
        }
        let found = tree::processes(&sessions.leaders(asked), &sessions.ours());
        for pending in due {
            let own = found.get(&pending.id).cloned().unwrap_or_default();
            // Fails if the caller is gone.
            let _ = pending.answer.send(own);
        }
        self.pending.is_empty()
    }
}
