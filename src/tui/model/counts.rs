//! How many jobs are how: what people ask first.

use crate::tui::state::State;

/// How many jobs are how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Running, or about to.
    pub running: usize,
    /// Waiting for a person.
    pub input: usize,
    /// Paused.
    pub paused: usize,
    /// Gone wrong.
    pub failed: usize,
    /// Ended well.
    pub done: usize,
    /// Ended by somebody.
    pub killed: usize,
}

impl Counts {
    /// Counts these.
    pub fn of(states: impl IntoIterator<Item = State>) -> Self {
        let mut counts = Self::default();
        for state in states {
            let slot = match state {
                State::NeedsInput | State::NeedsPassword | State::Asked => &mut counts.input,
                State::Paused => &mut counts.paused,
                State::Done => &mut counts.done,
                State::Killed(_) => &mut counts.killed,
                State::Failed(_) | State::Died(_) | State::Lost => &mut counts.failed,
                State::Queued
                | State::Starting
                | State::Running
                | State::Stopping
                | State::Retrying(_) => &mut counts.running,
            };
            *slot += 1;
        }
        counts
    }

    /// How many go on when the view is closed.
    pub fn alive(&self) -> usize {
        self.running + self.input + self.paused
    }
}
