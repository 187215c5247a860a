//! What is due when: one sorted set, so that nothing has to be looked for.

use std::collections::{BTreeSet, HashMap};

use super::waits::Ticket;
use crate::protocol::SessionId;

/// What can be due.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Due {
    /// A session has reached its time limit.
    Timeout(SessionId),
    /// A finished session has reached the end of its TTL.
    Expiry(SessionId),
    /// A wait has to look at the clock.
    Wait(Ticket),
    /// A session's program may wait for input by now.
    Input(SessionId),
    /// Output that was held back is told.
    Output(SessionId),
    /// That output was dropped is told.
    Dropped(SessionId),
    /// A probe has waited for as long as it may.
    Late(SessionId),
    /// Ports that are waited for are looked up.
    Ports(SessionId),
    /// A restart policy has waited long enough.
    Retry(SessionId),
    /// Something about a person's hold on a session is told.
    Lease(SessionId),
    /// Screens that nobody uses are put to rest.
    Rest,
}

/// Deadlines in boot-time milliseconds, at most one for each thing.
#[derive(Debug, Default)]
pub struct Timers {
    queue: BTreeSet<(u64, Due)>,
    set: HashMap<Due, u64>,
}

impl Timers {
    /// Sets, moves or (with `None`) drops a deadline.
    pub fn set(&mut self, due: Due, at: Option<u64>) {
        if let Some(old) = self.set.remove(&due) {
            self.queue.remove(&(old, due.clone()));
        }
        if let Some(at) = at {
            self.queue.insert((at, due.clone()));
            self.set.insert(due, at);
        }
    }

    /// When something is due, if it is.
    pub fn due(&self, due: &Due) -> Option<u64> {
        self.set.get(due).copied()
    }

    /// The next deadline.
    pub fn next(&self) -> Option<u64> {
        self.queue.first().map(|(at, _)| *at)
    }

    /// Takes one thing that is due at `now`.
    pub fn pop(&mut self, now: u64) -> Option<Due> {
        let (at, _) = self.queue.first()?;
        if *at > now {
            return None;
        }
        let (_, due) = self.queue.pop_first()?;
        self.set.remove(&due);
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_deadline_is_due_once_at_its_new_time() {
        let mut timers = Timers::default();
        let due = Due::Wait(Ticket(1));
        timers.set(due.clone(), Some(5));
        timers.set(due.clone(), Some(9));
        assert_eq!(timers.pop(8), None);
        assert_eq!(timers.next(), Some(9));
        assert_eq!(timers.pop(9), Some(due));
        assert_eq!(timers.pop(9), None);
    }
}
