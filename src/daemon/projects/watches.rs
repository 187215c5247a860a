//! The files that a project's jobs react to.

use crate::engine::project::watching::{Changes, Loops};
use crate::project::watch::Watch;

/// The files that one job reacts to.
#[derive(Clone, Debug)]
pub(crate) struct JobWatch {
    /// The definition that is in force.
    pub(crate) watch: Watch,
    /// How often its files were to be watched anew, because they could not be.
    pub(crate) attempt: u32,
    state: State,
    /// The last restarts because of changes.
    pub(crate) loops: Loops,
    /// When the program last got a signal or keys because of changes, in boot-time milliseconds.
    pub(crate) reacted_at: Option<u64>,
    /// What has changed while its program was paused: the job reacts when the program is continued.
    held: Option<Changes>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum State {
    /// The directories are being looked for.
    BeingSet,
    Set,
    /// They cannot be watched, for this reason.
    Failed(String),
}

impl JobWatch {
    /// A watch that is about to be set.
    pub(crate) fn new(watch: &Watch) -> Self {
        Self {
            watch: watch.clone(),
            attempt: 0,
            state: State::BeingSet,
            loops: Loops::default(),
            reacted_at: None,
            held: None,
        }
    }

    /// Keeps changes until the program is continued.
    pub(crate) fn hold(&mut self, changes: Changes) {
        match &mut self.held {
            Some(held) => held.add(changes),
            none => *none = Some(changes),
        }
    }

    /// Whether changes are kept until the program is continued.
    pub(crate) fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// The changes that were kept.
    pub(crate) fn take_held(&mut self) -> Option<Changes> {
        self.held.take()
    }

    /// Its files are watched from now on.
    pub(crate) fn mark_set(&mut self) {
        self.state = State::Set;
    }

    /// Its files are not watched.
    pub(crate) fn mark_failed(&mut self, why: &str) {
        self.state = State::Failed(why.to_owned());
    }

    /// Tries again if its files could not be watched. Returns whether it does.
    pub(crate) fn try_again(&mut self) -> bool {
        let has_failed = self.failure().is_some();
        if has_failed {
            self.attempt += 1;
            self.state = State::BeingSet;
        }
        has_failed
    }

    /// Whether its files are about to be watched.
    pub(crate) fn is_being_set(&self) -> bool {
        self.state == State::BeingSet
    }

    /// Why its files are not watched, if they cannot be.
    pub(crate) fn failure(&self) -> Option<&str> {
        match &self.state {
            State::Failed(why) => Some(why),
            State::BeingSet | State::Set => None,
        }
    }
}
