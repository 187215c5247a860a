//! Collects what happened while no view was open and summarizes it in one sentence.

use std::collections::{HashMap, HashSet};

use super::job::Job;
use crate::protocol::{Event, EventKind, SessionId, Status};
use crate::tui::state::State;

/// Maximum number of jobs named; the others are only counted.
const MOST_NAMED: usize = 6;

/// What happened to one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    ended: bool,
    asked: bool,
    restarts: usize,
    /// Whether an agent did any of this.
    by_agent: bool,
}

/// What happened while no view was open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Away {
    /// Start of the absence, in milliseconds since the epoch.
    pub since: i64,
    /// End of the absence, in milliseconds since the epoch.
    until: i64,
    jobs: HashMap<SessionId, Tally>,
    /// Whether all events that were known when the view opened have been added.
    pub complete: bool,
    /// Jobs of hosts about which something came later, and whose state is still to come.
    pub late: HashSet<SessionId>,
}

impl Away {
    /// An empty summary.
    pub fn new(since: i64, until: i64) -> Self {
        Self {
            since,
            until,
            jobs: HashMap::new(),
            complete: false,
            late: HashSet::new(),
        }
    }

    /// Adds an event that came after the view was opened, if it happened before: a host tells what has happened when
    /// it is connected. The caller sees to it that it has just been connected, since clocks differ.
    pub fn add_late(&mut self, event: &Event) {
        let is_of_then = event.at.is_some_and(|at| at.millis() < self.until);
        let host = event.session_id.as_ref().filter(|id| id.host().is_some());
        if let Some(id) = host.filter(|_| self.complete && is_of_then) {
            self.late.insert(id.clone());
            self.add(event);
        }
    }

    /// Adds an event if it happened after `since`. What comes from a host was not known before, whenever it happened.
    pub fn add(&mut self, event: &Event) {
        let is_of_then = event.at.is_some_and(|at| at.millis() > self.since)
            || event
                .session_id
                .as_ref()
                .is_some_and(|id| id.host().is_some());
        let Some(id) = event.session_id.as_ref().filter(|_| is_of_then) else {
            return;
        };
        let tally = self.jobs.entry(id.clone()).or_default();
        match event.event {
            EventKind::Exited | EventKind::Lost => tally.ended = true,
            EventKind::InputNeeded | EventKind::HumanAsked => tally.asked = true,
            EventKind::Restarted => {
                tally.restarts += 1;
                tally.by_agent |= event.data["by"]["kind"] == "agent";
            }
            _ => {}
        }
    }

    /// The summary, such as `tests failed, migrate needs a password, api restarted 2x (agent), 3
    /// done`. Covers only jobs that still exist and states that still hold. Empty if there is
    /// nothing to report.
    pub fn summary(&self, jobs: &[Job]) -> String {
        let here = |job: &&Job| self.jobs.contains_key(job.id());
        let tallies: Vec<(&Job, Tally)> = jobs
            .iter()
            .filter(here)
            .filter_map(|job| Some((job, *self.jobs.get(job.id())?)))
            .collect();
        let mut named = Vec::new();
        for (job, tally) in &tallies {
            let how = match job.state() {
                State::Lost if tally.ended => "was lost",
                state if tally.ended && state.failed() => "failed",
                _ if tally.ended && job.record.summary.status == Status::TimedOut => "timed out",
                _ => continue,
            };
            named.push(format!("{} {how}", job.name));
        }
        for (job, _) in tallies.iter().filter(|(_, tally)| tally.asked) {
            let what = match job.state() {
                State::NeedsPassword => "needs a password",
                State::NeedsInput => "needs input",
                State::Blocked => "is blocked",
                State::Asked => "is what an agent asks about",
                _ => continue,
            };
            named.push(format!("{} {what}", job.name));
        }
        for (job, tally) in tallies.iter().filter(|(_, tally)| tally.restarts > 0) {
            let times = match tally.restarts {
                1 => String::new(),
                n => format!(" {n}x"),
            };
            let by = if tally.by_agent { " (agent)" } else { "" };
            named.push(format!("{} restarted{times}{by}", job.name));
        }
        let more = named.len().saturating_sub(MOST_NAMED);
        named.truncate(MOST_NAMED);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let is_done = |(job, tally): &&(&Job, Tally)| tally.ended && job.state() == State::Done;
        match tallies
            .iter()
            .filter(is_done)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [] => {}
            [(job, _)] => named.push(format!("{} done", job.name)),
            many => named.push(format!("{} done", many.len())),
        }
        named.join(", ")
    }
}
