//! What is seen of the jobs of projects: the states of their sessions.

use std::collections::BTreeMap;

use crate::daemon::clock::now;
use crate::daemon::projects::project::{Project, UnderWay};
use crate::daemon::sessions::Sessions;
use crate::engine::life::Probed;
use crate::engine::project::{JobWish, Phase, Seen, SeenState};
use crate::engine::session::Session;
use crate::protocol::{RestartPolicy, SessionId, Status};
use crate::sys::signal;

/// How long a service without a probe runs until it counts as settled, in milliseconds. Most programs that cannot work
/// end sooner.
const PROOF_MS: u64 = 500;

/// The jobs that are not ready in the time that their probes have, or not any more, or have ended before, or keep
/// ending, and why.
pub(super) fn late(project: &Project, sessions: &Sessions) -> BTreeMap<String, String> {
    let late = |(name, session): (&String, &SessionId)| {
        let session = sessions.get(session)?;
        let seen = seen_of(project, sessions, name);
        let job = project.wish.jobs.get(name);
        // The end of a run says nothing of the next one.
        let is_early = session.life.status() == Status::Done
            && seen.state == (SeenState::Ended { ok: false })
            && !job.is_some_and(|job| job.is_owed(seen));
        let early = is_early.then(|| "ended before it was ready".to_owned());
        let why = early.or_else(|| keeps_ending(session));
        // What the probe of the run before said does not count then.
        let late = session
            .late_reason()
            .filter(|_| seen.state != SeenState::Retrying);
        Some((name.clone(), why.or(late)?))
    };
    project.sessions.iter().filter_map(late).collect()
}

/// That a session ends again and again, and is run again.
fn keeps_ending(session: &Session) -> Option<String> {
    let policy = session.spec.restart?;
    let (count, life) = (session.life.retries(), &session.life);
    let is_one = life.status() == Status::Retrying && count >= RestartPolicy::KEEPS_ENDING;
    let how = match (life.exit_code(), life.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(number)) => signal::name(number),
        (None, None) => "it could not be started".to_owned(),
    };
    let again = match policy.max_retries() {
        RestartPolicy::FOREVER => "without a limit".to_owned(),
        most => format!("at most {most} times in a row"),
    };
    is_one.then(|| format!("it keeps ending ({how}) and is run again {again}"))
}

/// Whether a run has ended that was to go on, before its probe held. What a schedule starts may end.
fn has_ended_early(project: &Project, session: &Session, job: &str) -> bool {
    let goes_on = |job: &JobWish| job.has_probe && !job.is_task && !job.is_scheduled;
    let was_ready = matches!(session.life.probed(), Some(Probed::Ready | Probed::Lost));
    project.wish.jobs.get(job).is_some_and(goes_on) && !was_ready
}

/// The services without a probe that have begun so lately that they may still end at once, and when they count as
/// settled, in boot-time milliseconds.
pub(super) fn fresh(project: &Project, sessions: &Sessions) -> BTreeMap<String, u64> {
    let is_plain = |(_, job): &(&String, &JobWish)| job.wanted && !job.is_task && !job.has_probe;
    let settles = |(name, _): (&String, &JobWish)| {
        let runs = project.decision.phases.get(name) == Some(&Phase::Running);
        let session = sessions.get(project.sessions.get(name).filter(|_| runs)?)?;
        let at = session.life.started_boot() + PROOF_MS;
        (at > now().boot).then(|| (name.clone(), at))
    };
    let plain = project.wish.jobs.iter().filter(is_plain);
    plain.filter_map(settles).collect()
}

/// What is seen of each job.
pub(crate) fn seen_of_all(project: &Project, sessions: &Sessions) -> BTreeMap<String, Seen> {
    let names = project.wish.jobs.keys();
    let seen = names.map(|name| (name.clone(), seen_of(project, sessions, name)));
    seen.collect()
}

/// What is seen of a job.
pub(super) fn seen_of(project: &Project, sessions: &Sessions, job: &str) -> Seen {
    let session = project.sessions.get(job).and_then(|id| sessions.get(id));
    let run = session.and_then(|session| session.life.runs().last());
    let run = run.map_or(0, |run| run.run);
    match project.under_way.get(job) {
        // Until the keeper has answered. A run that has ended by then is seen as what it is.
        Some(UnderWay::Starting(next)) if run < *next => {
            return Seen {
                run: *next,
                state: SeenState::Starting,
            };
        }
        // Also after the end of its first process: others may hold its port.
        Some(UnderWay::Stopping) => {
            return Seen {
                run,
                state: SeenState::Stopping,
            };
        }
        _ => {}
    }
    let Some(session) = session else {
        return Seen::NEVER;
    };
    let is_observed = |wish: &JobWish| !wish.member.is_own() && wish.owed.is_none();
    let state = match session.life.status() {
        // It waits for its turn elsewhere.
        Status::Queued if project.wish.jobs.get(job).is_some_and(is_observed) => {
            SeenState::Starting
        }
        Status::Queued | Status::Starting if run == 0 => SeenState::Never,
        Status::Queued => SeenState::Ended { ok: false },
        Status::Starting => SeenState::Starting,
        Status::Running | Status::Paused => SeenState::Running {
            ready: session.ready().unwrap_or(true),
        },
        Status::Stopping => SeenState::Stopping,
        Status::Retrying => SeenState::Retrying,
        Status::Done => SeenState::Ended {
            ok: !has_ended_early(project, session, job),
        },
        Status::Error | Status::Killed | Status::TimedOut | Status::Lost if run == 0 => {
            SeenState::Never
        }
        Status::Error | Status::Killed | Status::TimedOut | Status::Lost => {
            SeenState::Ended { ok: false }
        }
    };
    Seen { run, state }
}
