//! Counts the jobs by state.

use crate::tui::state::State;

/// Number of jobs in each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Running or starting.
    pub running: usize,
    /// Waiting for input from a person.
    pub input: usize,
    /// Between two runs of its restart policy.
    pub retrying: usize,
    /// Paused.
    pub paused: usize,
    /// Failed.
    pub failed: usize,
    /// Waiting for what they need, or for their turn.
    pub queued: usize,
    /// Skipped: what they need cannot come.
    pub skipped: usize,
    /// Waiting for the next time of their schedule.
    pub scheduled: usize,
    /// Ended successfully.
    pub done: usize,
    /// Stopped or killed by somebody.
    pub killed: usize,
}

impl Counts {
    /// Counts `states`.
    pub fn of(states: impl IntoIterator<Item = State>) -> Self {
        let mut counts = Self::default();
        for state in states {
            let slot = match state {
                State::NeedsInput | State::NeedsPassword | State::Blocked | State::Asked => {
                    &mut counts.input
                }
                State::Paused => &mut counts.paused,
                State::Done => &mut counts.done,
                State::Killed(_) => &mut counts.killed,
                State::Failed(_) | State::Died(_) | State::Lost => &mut counts.failed,
                State::Queued => &mut counts.queued,
                State::Skipped => &mut counts.skipped,
                State::Scheduled => &mut counts.scheduled,
                State::Retrying(_) => &mut counts.retrying,
                State::Starting | State::Running | State::Ready | State::Idle | State::Stopping => {
                    &mut counts.running
                }
            };
            *slot += 1;
        }
        counts
    }

    /// The jobs that run and those that wait to start: `1 running, 3 queued`. `None` if none waits.
    pub fn with_waiting(&self) -> Option<String> {
        let running = self.running + self.input + self.paused;
        let all = [
            (running, "running"),
            (self.retrying, "retrying"),
            (self.queued, "queued"),
            (self.skipped, "skipped"),
            (self.scheduled, "scheduled"),
        ];
        let some = all.iter().filter(|(n, _)| *n > 0);
        let words: Vec<String> = some.map(|(n, word)| format!("{n} {word}")).collect();
        (self.queued + self.skipped + self.scheduled > 0).then(|| words.join(", "))
    }
}
