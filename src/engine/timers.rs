//! Deadlines in one sorted set, so that the next one is found without a search.

use std::collections::{BTreeSet, HashMap};

use super::waits::WaitId;
use crate::protocol::SessionId;

/// The kinds of deadlines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Due {
    /// A session reaches its time limit.
    Timeout(SessionId),
    /// A finished session reaches the end of its TTL.
    Expiry(SessionId),
    /// A wait must be checked again.
    Wait(WaitId),
    /// A session's program may be waiting for input.
    Input(SessionId),
    /// More output of a session that writes much is looked at.
    Look(SessionId),
    /// A session's record is written.
    Save(SessionId),
    /// Held-back `output` events are sent.
    Output(SessionId),
    /// An `output_dropped` event is sent.
    Dropped(SessionId),
    /// A screen that is being painted counts as complete.
    Painted(SessionId),
    /// A probe reaches its time limit.
    Late(SessionId),
    /// The next attempt of a probe.
    Probe(SessionId),
    /// A run is ended that is not ready any more.
    Unready(SessionId),
    /// Ports that clients wait for are looked up.
    Ports(SessionId),
    /// The pause of a restart policy is over.
    Retry(SessionId),
    /// A change of a session's keyboard lease is reported.
    Lease(SessionId),
    /// Unused screens are put to rest.
    Rest,
}

/// Deadlines in boot-time milliseconds, at most one per [`Due`].
#[derive(Debug, Default)]
pub struct Timers {
    queue: BTreeSet<(u64, Due)>,
    set: HashMap<Due, u64>,
}

impl Timers {
    /// Sets, moves or (with `None`) removes a deadline.
    pub fn set(&mut self, due: Due, at: Option<u64>) {
        if let Some(old) = self.set.remove(&due) {
            self.queue.remove(&(old, due.clone()));
        }
        if let Some(at) = at {
            self.queue.insert((at, due.clone()));
            self.set.insert(due, at);
        }
    }

    /// The time of this deadline, if it is set.
    pub fn due(&self, due: &Due) -> Option<u64> {
        self.set.get(due).copied()
    }

    /// The earliest deadline.
    pub fn next(&self) -> Option<u64> {
        self.queue.first().map(|(at, _)| *at)
    }

    /// Removes and returns one deadline that is not after `now`.
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
    fn a_moved_deadline_fires_once_at_its_new_time() {
        let mut timers = Timers::default();
        let due = Due::Wait(WaitId(1));
        timers.set(due.clone(), Some(5));
        timers.set(due.clone(), Some(9));
        assert_eq!(timers.pop(8), None);
        assert_eq!(timers.next(), Some(9));
        assert_eq!(timers.pop(9), Some(due));
        assert_eq!(timers.pop(9), None);
    }
}
