//! What follows from a wish and what is seen: the phase of each job, and the steps to take now.

use std::collections::BTreeMap;

use super::need::{Met, Needs, Why};
use super::seen::{Seen, SeenState};
use super::wish::{JobWish, Member, Standing, Wish};
use crate::protocol::project::PhaseName;

/// Where a job stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It will start when this has changed.
    Queued(Why),
    /// It cannot start, because a need cannot come any more without a request.
    Skipped(Why),
    /// It is being started, or it runs and is not ready yet.
    Starting,
    /// It runs, and has no probe.
    Running,
    /// It runs, and its probe holds.
    Ready,
    /// It has ended well.
    Done,
    /// It has ended, and not well.
    Failed,
    /// It has ended and will be run again by its restart policy.
    Retrying,
    /// A schedule will start it.
    Scheduled,
    /// It is being ended.
    Stopping,
    /// It does not run, and nobody has asked for it, or a person has stopped it.
    Stopped,
}

/// What is to be done with a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Start the run after the one that is seen.
    Start(String),
    /// End the run that is seen.
    Stop(String),
}

/// What follows now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decision {
    /// The phase of each job, by name.
    pub phases: BTreeMap<String, Phase>,
    /// What to do. Each step changes what is seen at once, so the next call does not repeat it.
    pub steps: Vec<Step>,
}

/// Decides. `seen` returns what is seen of a job; queues start at most `room` more jobs.
pub fn decide(wish: &Wish, seen: impl Fn(&str) -> Seen, room: usize) -> Decision {
    let now: BTreeMap<&str, Seen> = wish
        .jobs
        .keys()
        .map(|name| (name.as_str(), seen(name)))
        .collect();
    let at = |name: &str| now.get(name).copied().unwrap_or(Seen::NEVER);
    let needs = Needs::of(wish, &now);
    let mut decision = Decision::default();
    let mut waiting: Vec<(u64, &str)> = Vec::new();
    for (name, job) in &wish.jobs {
        let met = needs.met(name);
        if is_startable(wish, job, at(name)) && met == Met::Yes {
            let place = job.owed.map_or(0, |owed| owed.place);
            waiting.push((place, name));
        }
        let phase = phase(wish, job, at(name), met);
        decision.phases.insert(name.clone(), phase);
    }
    let goes = going(wish, at);
    for (name, job) in &wish.jobs {
        if goes.contains(name, job, at(name)) {
            decision.steps.push(Step::Stop(name.clone()));
        }
    }
    waiting.sort_unstable();
    start(wish, at, &waiting, room, &mut decision);
    decision
}

/// Whether a job is to be started as soon as its needs and its queue allow it.
fn is_startable(wish: &Wish, job: &JobWish, now: Seen) -> bool {
    may_start(wish, job)
        && job.hold.is_none()
        && job.is_owed(now)
        && job.not_before().is_none()
        && (!now.state.is_alive() || now.state == SeenState::Retrying && job.gives_way(now))
}

/// Whether a job may start at all: its project is up, or it is a guest that somebody has started out of turn.
fn may_start(wish: &Wish, job: &JobWish) -> bool {
    let out_of_turn = || job.owed.is_some_and(|owed| owed.out_of_turn);
    wish.standing == Standing::Up || (job.member == Member::Guest && out_of_turn())
}

/// Starts the jobs whose turn it is. A queue starts its jobs in the order in which they were asked for, as far as
/// their needs are met: one that must wait does not hold up those behind it, which it may be waiting for. What is in no
/// queue has its place among the jobs that may run already.
fn start(
    wish: &Wish,
    at: impl Fn(&str) -> Seen,
    waiting: &[(u64, &str)],
    mut room: usize,
    out: &mut Decision,
) {
    let mut running: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, job) in &wish.jobs {
        if let Some(queue) = &job.queue
            && job.has_place(at(name))
        {
            *running.entry(queue).or_default() += 1;
        }
    }
    let mut before: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, name) in waiting {
        let queue = wish.jobs.get(*name).and_then(|job| job.queue.as_deref());
        // What waits for the next run of its policy has a place already.
        let is_more = queue.is_some() && !at(name).state.is_alive();
        let is_full = is_more && room == 0;
        if let Some(name_of_queue) = queue
            && let Some(queue) = wish.queues.get(name_of_queue)
            && queue.parallel > 0
        {
            let running = running.entry(name_of_queue).or_default();
            let before = before.entry(name_of_queue).or_default();
            let why = match (queue.paused, *running < queue.parallel) {
                _ if wish.is_out_of_turn(name) => None,
                (true, _) => Some(Why::Paused(*before)),
                (false, false) => Some(Why::Queue(*before)),
                (false, true) => None,
            };
            if let Some(why) = why {
                *before += 1;
                out.phases.insert((*name).to_owned(), Phase::Queued(why));
                continue;
            }
            *running += u32::from(!is_full);
        }
        if is_full {
            let phase = Phase::Queued(Why::Limit);
            out.phases.insert((*name).to_owned(), phase);
            continue;
        }
        room -= usize::from(is_more);
        out.phases.insert((*name).to_owned(), Phase::Starting);
        out.steps.push(Step::Start((*name).to_owned()));
    }
}

/// The jobs that are to be ended, and which of them are still needed by others of them.
struct Going<'a> {
    /// For each job that is to be ended or is being ended: how many such jobs need it and are alive.
    users: BTreeMap<&'a str, u32>,
}

impl Going<'_> {
    /// Whether a job is to be ended now: those that need it have ended.
    fn contains(&self, name: &str, job: &JobWish, now: Seen) -> bool {
        // A retry that is owed a run by request is started, not ended.
        let waits = now.state == SeenState::Retrying && job.gives_way(now) && job.hold.is_none();
        self.users.get(name) == Some(&0)
            && now.state.is_alive()
            && now.state != SeenState::Stopping
            && !waits
    }
}

fn going<'a>(wish: &'a Wish, at: impl Fn(&str) -> Seen) -> Going<'a> {
    let ends = |job: &JobWish, now: Seen| {
        now.state.is_alive()
            && job.member.is_own()
            && (wish.standing == Standing::Down || job.hold.is_some() || job.gives_way(now))
    };
    let mut users: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, job) in &wish.jobs {
        if ends(job, at(name)) {
            users.entry(name).or_default();
        }
    }
    for (name, job) in &wish.jobs {
        // What waits for its next run uses nothing.
        let is_waiting = at(name).state == SeenState::Retrying && job.gives_way(at(name));
        // A person's stop of one job does not wait for those that use it.
        if !users.contains_key(name.as_str()) || (is_waiting && job.hold.is_none()) {
            continue;
        }
        for need in &job.needs {
            let is_held = wish
                .jobs
                .get(&need.job)
                .is_some_and(|job| job.hold.is_some());
            if let Some(count) = users.get_mut(need.job.as_str())
                && !is_held
            {
                *count += 1;
            }
        }
    }
    // Old and new definitions may need each other in a circle.
    if users.values().all(|count| *count > 0) {
        users.values_mut().for_each(|count| *count = 0);
    }
    Going { users }
}

fn phase(wish: &Wish, job: &JobWish, now: Seen, met: Met) -> Phase {
    let is_owed = job.is_owed(now) && may_start(wish, job);
    let gives_way = is_owed && job.gives_way(now);
    match now.state {
        SeenState::Stopping => Phase::Stopping,
        SeenState::Starting | SeenState::Running { ready: false } => Phase::Starting,
        SeenState::Running { ready: true } if job.has_probe => Phase::Ready,
        SeenState::Running { ready: true } => Phase::Running,
        SeenState::Retrying if !gives_way => Phase::Retrying,
        _ if job.hold.is_some() => Phase::Stopped,
        _ if !job.member.is_own() && job.is_owed(now) && !is_owed => Phase::Queued(Why::Down),
        _ if is_owed => match (met, job.not_before()) {
            (Met::Never(need), _) => Phase::Skipped(Why::Needs(need)),
            (_, Some(at)) => Phase::Queued(Why::Time(at)),
            (Met::NotYet(need), None) => Phase::Queued(Why::Needs(need)),
            (Met::Yes, None) => Phase::Starting,
        },
        _ if job.is_scheduled && job.wanted => Phase::Scheduled,
        _ if job.broken.is_some() => Phase::Failed,
        SeenState::Never if job.wanted && job.passed => Phase::Done,
        SeenState::Ended { ok } if job.wanted && now.run > job.forget => {
            if ok {
                Phase::Done
            } else {
                Phase::Failed
            }
        }
        _ => Phase::Stopped,
    }
}

impl JobWish {
    /// Whether `up` need not wait for the job in this phase. A task has settled when it has ended; one with a
    /// schedule runs when its time comes, and `up` is not about that.
    pub fn has_settled(&self, phase: &Phase) -> bool {
        let works = self.is_task && !self.is_scheduled;
        phase.is_settled() && !(works && matches!(phase, Phase::Running | Phase::Ready))
    }
}

impl Phase {
    /// Whether nothing will change without a request, an end or a schedule. A queue that is paused goes on by a
    /// request only, and so does a job whose environment was lost.
    pub fn is_settled(&self) -> bool {
        match self {
            Self::Queued(why) => why.wants_request(),
            Self::Starting | Self::Retrying | Self::Stopping => false,
            _ => true,
        }
    }

    /// Whether `up` has failed for this job.
    pub fn is_bad(&self) -> bool {
        match self {
            Self::Failed | Self::Skipped(_) => true,
            Self::Queued(why) => why.wants_request(),
            _ => false,
        }
    }

    /// Its name on the wire, without the reason.
    pub fn name(&self) -> PhaseName {
        match self {
            Self::Queued(_) => PhaseName::Queued,
            Self::Skipped(_) => PhaseName::Skipped,
            Self::Starting => PhaseName::Starting,
            Self::Running => PhaseName::Running,
            Self::Ready => PhaseName::Ready,
            Self::Done => PhaseName::Done,
            Self::Failed => PhaseName::Failed,
            Self::Retrying => PhaseName::Retrying,
            Self::Scheduled => PhaseName::Scheduled,
            Self::Stopping => PhaseName::Stopping,
            Self::Stopped => PhaseName::Stopped,
        }
    }

    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        self.name().as_str()
    }
}
