//! Walks through all processes, each for everybody who waits for one.
//!
//! What a walk costs grows with the processes of the machine. A thousand sessions
//! that are ended together need a few walks this way, not a few each.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tokio::sync::oneshot;

use super::hub::Hub;
use super::state::State;
use crate::protocol::SessionId;
use crate::sys::process::Process;
use crate::sys::signal;
use crate::sys::tree::{self, Leader};

/// The next walk.
#[derive(Default)]
pub(super) struct Walk {
    waiting: Vec<Waiting>,
}

/// Somebody who waits for it.
struct Waiting {
    id: SessionId,
    leader: Option<Leader>,
    answer: oneshot::Sender<Vec<Process>>,
}

/// Every live process of a session, as of a moment after this call. Its first process
/// is what the caller knows of it, which may be more than the session does.
pub(super) async fn processes(hub: &Hub, id: &SessionId, leader: Option<Leader>) -> Vec<Process> {
    let (answer, found) = oneshot::channel();
    let id = id.clone();
    let waiting = Waiting { id, leader, answer };
    let is_first = {
        let walk = &mut hub.state().walk;
        walk.waiting.push(waiting);
        walk.waiting.len() == 1
    };
    if is_first {
        let hub = hub.clone();
        // Its turn comes after that of every task that is ready now, so all of them
        // are served by this one, and those who ask meanwhile by the next.
        tokio::task::spawn_local(async move {
            while !hub.state().walk() {
                tokio::task::yield_now().await;
            }
        });
    }
    found.await.unwrap_or_default()
}

impl State {
    /// Walks once; false if somebody still waits.
    fn walk(&mut self) -> bool {
        let mut asked: HashMap<SessionId, Option<Leader>> = HashMap::new();
        let mut due = Vec::new();
        for waiting in std::mem::take(&mut self.walk.waiting) {
            match asked.entry(waiting.id.clone()) {
                // Two may know different things of one session.
                Entry::Occupied(other) if *other.get() != waiting.leader => {
                    self.walk.waiting.push(waiting);
                    continue;
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(place) => {
                    place.insert(waiting.leader);
                }
            }
            due.push(waiting);
        }
        let found = tree::processes(&self.leaders(asked));
        for waiting in due {
            let own = found.get(&waiting.id).cloned().unwrap_or_default();
            // Whoever has asked may be gone.
            let _ = waiting.answer.send(own);
        }
        self.walk.waiting.is_empty()
    }

    /// All sessions with their first processes; of some of them, that is known.
    pub(super) fn leaders(
        &self,
        mut known: HashMap<SessionId, Option<Leader>>,
    ) -> Vec<(SessionId, Option<Leader>)> {
        for session in self.registry.iter() {
            if !known.contains_key(&session.id) {
                known.insert(session.id.clone(), self.leader(&session.id));
            }
        }
        known.into_iter().collect()
    }

    /// Every live process of a session.
    pub(super) fn processes(&self, id: &SessionId) -> Vec<Process> {
        let mut found = tree::processes(&self.leaders(HashMap::new()));
        found.remove(id).unwrap_or_default()
    }

    /// The first process of a session, as far as its number can be trusted.
    pub(super) fn leader(&self, id: &SessionId) -> Option<Leader> {
        let life = &self.registry.get(id)?.life;
        let pidfd = self.drivers.get(id)?.pidfd.as_ref();
        match life.pid() {
            Some(pid) if pidfd.is_none_or(signal::is_there) => Some(Leader::There(pid)),
            _ => life
                .last_process()
                .map(|(pid, ended)| Leader::Gone { pid, ended }),
        }
    }
}
