//! Collects what happened while no view was open and summarizes it in one sentence.

use std::collections::{HashMap, HashSet};

use super::job::Job;
use crate::protocol::{Event, EventKind, SessionId, Status};
use crate::term::sanitize::clean;
use crate::tui::state::State;

/// Maximum number of things named; others that wait for nobody are only counted.
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
            // Its schedule, or a file that somebody has saved: that is what the job is for.
            EventKind::Restarted
                if event.data["by"]["kind"] == "schedule" || !event.data["because"].is_null() => {}
            EventKind::Restarted => {
                tally.restarts += 1;
                tally.by_agent |= event.data["by"]["kind"] == "agent";
            }
            _ => {}
        }
    }

    /// The summary, such as `migrate needs a password, codex asks about web, api, tests failed, db restarted 2x (agent),
    /// 3 done`: what waits for a person comes first, and no job comes twice. Covers only jobs that still exist and
    /// states that still hold. Empty if there is nothing to report.
    pub fn summary(&self, jobs: &[Job]) -> String {
        let tally = |job: &Job| self.jobs.get(job.id()).copied();
        let told: Vec<(&Job, Told)> = jobs
            .iter()
            .filter_map(|job| Some((job, Told::of(job, tally(job)?)?)))
            .collect();
        let of = |is_it: fn(&Told) -> bool| told.iter().filter(move |(_, told)| is_it(told));
        let mut named: Vec<String> = of(|told| matches!(told, Told::Waits(_)))
            .map(|(job, told)| told.of_job(job))
            .collect();
        let agents = by_agent(of(|told| *told == Told::Asked).map(|(job, _)| *job));
        named.extend(agents.iter().map(|(agent, jobs)| {
            let jobs: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
            format!("{agent} asks about {}", jobs.join(", "))
        }));
        let rest = of(|told| matches!(told, Told::Ended(_)));
        let rest = rest.chain(of(|told| matches!(told, Told::Restarted(..))));
        let rest: Vec<String> = rest.map(|(job, told)| told.of_job(job)).collect();
        let room = MOST_NAMED.saturating_sub(named.len());
        let more = rest.len().saturating_sub(room);
        named.extend(rest.into_iter().take(room));
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let done: Vec<_> = of(|told| *told == Told::Done).collect();
        match done.as_slice() {
            [] => {}
            [(job, told)] => named.push(told.of_job(job)),
            many => named.push(format!("{} done", many.len())),
        }
        named.join(", ")
    }
}

/// What is told of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Told {
    /// What it waits for a person for.
    Waits(&'static str),
    /// An agent asks about it.
    Asked,
    /// How it has ended, not well.
    Ended(&'static str),
    /// How often it was restarted, and whether an agent did it.
    Restarted(usize, bool),
    /// It has ended well.
    Done,
}

impl Told {
    /// What is told of a job to which that happened; `None` if it does not hold any more.
    fn of(job: &Job, tally: Tally) -> Option<Self> {
        let is_timed_out = job.record.summary.status == Status::TimedOut;
        match job.state() {
            State::NeedsPassword if tally.asked => Some(Self::Waits("needs a password")),
            State::NeedsInput if tally.asked => Some(Self::Waits("needs input")),
            State::Blocked if tally.asked => Some(Self::Waits("is blocked")),
            State::Asked if tally.asked => Some(Self::Asked),
            State::Lost if tally.ended => Some(Self::Ended("was lost")),
            state if tally.ended && state.failed() => Some(Self::Ended("failed")),
            _ if tally.ended && is_timed_out => Some(Self::Ended("timed out")),
            State::Done if tally.ended => Some(Self::Done),
            _ if tally.restarts > 0 => Some(Self::Restarted(tally.restarts, tally.by_agent)),
            _ => None,
        }
    }

    fn of_job(self, job: &Job) -> String {
        let name = &job.name;
        match self {
            Self::Waits(how) | Self::Ended(how) => format!("{name} {how}"),
            Self::Restarted(n, by_agent) => {
                let times = if n == 1 {
                    String::new()
                } else {
                    format!(" {n}x")
                };
                let by = if by_agent { " (agent)" } else { "" };
                format!("{name} restarted{times}{by}")
            }
            Self::Asked => format!("{name} is asked about"),
            Self::Done => format!("{name} done"),
        }
    }
}

/// The jobs about which each agent asks.
fn by_agent<'a>(jobs: impl Iterator<Item = &'a Job>) -> Vec<(String, Vec<&'a Job>)> {
    let mut agents: Vec<(String, Vec<&Job>)> = Vec::new();
    for job in jobs {
        let asked = job.record.asked.first();
        let agent = asked.map_or_else(String::new, |asked| clean(asked.by.as_str()));
        match agents.iter_mut().find(|(known, _)| *known == agent) {
            Some((_, all)) => all.push(job),
            None => agents.push((agent, vec![job])),
        }
    }
    agents
}
