//! Whether the needs of a job are met.

use std::collections::BTreeMap;
use std::fmt;

use super::seen::{Seen, SeenState, holds};
use super::wish::{JobWish, Need, Wish};
use crate::protocol::Timestamp;

/// Why a job does not start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// It needs a level of another job.
    Needs(Need),
    /// Its time has not come.
    Time(Timestamp),
    /// Its queue is full: as many jobs are before it.
    Queue(u32),
    /// Its queue is paused: as many jobs are before it.
    Paused(u32),
    /// As many jobs run as may run at all, in queues and elsewhere.
    Limit,
    /// Its queue belongs to a project that is down.
    Down,
    /// The environment for its runs was lost with daemon and keeper.
    Environment,
}

impl Why {
    /// Whether only a request changes it.
    pub fn wants_request(&self) -> bool {
        matches!(self, Self::Paused(_) | Self::Environment)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Needs(need) => write!(f, "needs {} {}", need.job, need.is.as_str()),
            Self::Time(at) => write!(f, "starts at {at}"),
            Self::Queue(0) => write!(f, "next in its queue"),
            Self::Queue(before) => write!(f, "{before} before it in its queue"),
            Self::Paused(_) => write!(f, "its queue is paused"),
            Self::Limit => write!(f, "as many jobs run as may run (max_sessions)"),
            Self::Environment => write!(
                f,
                "waits for bgproc up or bgproc resume: its environment was lost"
            ),
            Self::Down => write!(f, "the project of its queue is down (bgproc up)"),
        }
    }
}

/// How a job stands with its needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Met {
    /// All of them hold.
    Yes,
    /// This one does not hold yet.
    NotYet(Need),
    /// This one cannot come any more without a request. It is the root of the cause: a job that itself cannot
    /// start for such a reason is not named.
    Never(Need),
}

/// The needs of all jobs.
pub struct Needs<'a> {
    wish: &'a Wish,
    seen: &'a BTreeMap<&'a str, Seen>,
    known: BTreeMap<&'a str, Met>,
}

impl<'a> Needs<'a> {
    /// Looks at the needs of all jobs. The graph of needs has no cycle; one that has is cut.
    pub fn of(wish: &'a Wish, seen: &'a BTreeMap<&'a str, Seen>) -> Self {
        let mut needs = Self {
            wish,
            seen,
            known: BTreeMap::new(),
        };
        for name in wish.jobs.keys() {
            needs.look(name);
        }
        needs
    }

    /// How a job stands with its needs.
    pub fn met(&self, name: &str) -> Met {
        self.known.get(name).cloned().unwrap_or(Met::Yes)
    }

    /// Works off the graph with a stack of its own, since a chain may have thousands of jobs.
    fn look(&mut self, name: &'a str) {
        let mut stack = vec![(name, false)];
        while let Some((name, is_ready)) = stack.pop() {
            let Some(job) = self.wish.jobs.get(name) else {
                continue;
            };
            if is_ready {
                let met = self.judge(job);
                self.known.insert(name, met);
            } else if !self.known.contains_key(name) {
                // Until its needs are known; this also cuts cycles.
                self.known.insert(name, Met::Yes);
                stack.push((name, true));
                stack.extend(job.needs.iter().map(|need| (need.job.as_str(), false)));
            }
        }
    }

    fn judge(&self, job: &JobWish) -> Met {
        if job.owed.is_some_and(|owed| owed.alone) {
            return Met::Yes;
        }
        let mut met = Met::Yes;
        for need in &job.needs {
            let Some(other) = self.wish.jobs.get(&need.job) else {
                return Met::Never(need.clone());
            };
            let now = self
                .seen
                .get(need.job.as_str())
                .copied()
                .unwrap_or(Seen::NEVER);
            if holds(need.is, other, now) {
                continue;
            }
            match self.can_come(need, other, now) {
                Ok(()) if met == Met::Yes => met = Met::NotYet(need.clone()),
                Ok(()) => {}
                Err(root) => return Met::Never(root),
            }
        }
        met
    }

    /// Whether a need that does not hold can still come without a request; otherwise the root of the cause.
    fn can_come(&self, need: &Need, other: &JobWish, now: Seen) -> Result<(), Need> {
        if now.state.is_alive() && now.state != SeenState::Stopping {
            return Ok(());
        }
        if other.is_owed(now) {
            return match self.known.get(need.job.as_str()) {
                Some(Met::Never(root)) => Err(root.clone()),
                _ => Ok(()),
            };
        }
        // What ends now can still be a level of its end.
        let ends = now.state == SeenState::Stopping && other.hold.is_none();
        match ends && matches!(need.is, super::Level::Ok | super::Level::Done) {
            true => Ok(()),
            // A schedule will run it.
            false if other.is_scheduled && other.wanted && other.hold.is_none() => Ok(()),
            false => Err(need.clone()),
        }
    }
}
