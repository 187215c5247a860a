//! What is seen of a job: the state of its session.

use std::collections::BTreeMap;

use super::wish::{JobWish, Level};

/// What is seen of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Number of its last run, from 1; 0 if it has never run.
    pub run: u32,
    /// State of that run.
    pub state: SeenState,
}

/// State of a job's last run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeenState {
    /// It has never run.
    Never,
    /// It is being started.
    Starting,
    /// It runs.
    Running {
        /// Whether it is ready: by its probe, or because it has none.
        ready: bool,
    },
    /// It is being ended.
    Stopping,
    /// It has ended and will be run again by its restart policy.
    Retrying,
    /// It has ended.
    Ended {
        /// Whether it ended well.
        ok: bool,
    },
}

impl Seen {
    /// A job that has never run.
    pub const NEVER: Self = Self {
        run: 0,
        state: SeenState::Never,
    };

    /// What is seen of a job; one that is not known has never run.
    pub fn of(all: &BTreeMap<String, Self>, name: &str) -> Self {
        all.get(name).copied().unwrap_or(Self::NEVER)
    }
}

impl SeenState {
    /// Whether there is a process, or there will be one without another request.
    pub fn is_alive(self) -> bool {
        !matches!(self, Self::Never | Self::Ended { .. })
    }
}

/// Whether a level of a job holds now. Levels are looked at anew each time: a job that was ready and is not any
/// more is not ready, and the result of a run does not count while the next one is owed or in progress.
pub fn holds(level: Level, job: &JobWish, now: Seen) -> bool {
    let runs = match now.state {
        SeenState::Running { ready } => Some(ready),
        _ => None,
    };
    match level {
        // A job that is about to be restarted is not what was asked for. One that ended well has started, however soon
        // that was: what needs it must not depend on who is faster.
        Level::Started => runs.is_some() && !job.gives_way(now) || job.has_ended(now) == Some(true),
        Level::Ready => runs == Some(true) && !job.gives_way(now),
        Level::Ok => job.has_ended(now) == Some(true),
        Level::Done => job.has_ended(now).is_some(),
    }
}
