//! Jobs that are skipped while a command waits for them: what they need cannot come any more by itself, so the command
//! would wait for ever.

use super::told::Told;
use crate::cli::beside;
use crate::cli::context::target;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{complain, words};
use crate::client::read_reply;
use crate::protocol::condition::WaitMode;
use crate::protocol::params::StatusParams;
use crate::protocol::shell::quote;
use crate::protocol::{Action, Error, EventKind, Record, SessionId, Status};

/// Ends this process with [`Exit::STATE`] and the reason as soon as jobs are skipped so that a wait for them is in vain.
/// Starts a thread for that, if any of the jobs has still to start.
pub(crate) fn leave_with<'a>(
    jobs: impl Iterator<Item = &'a Record> + Clone,
    mode: WaitMode,
) -> Result<(), Error> {
    look(jobs, move |_, looked| {
        let skipped = skipped(&looked, mode);
        if !skipped.is_empty() {
            skipped.iter().for_each(complain);
            std::process::exit(i32::from(Exit::STATE.0));
        }
        true
    })
}

/// Tells of each of these jobs, by its place among them, when it is skipped, with the reason, and when it is not any more.
/// Ends when `tell` returns false. Starts a thread for that, if any of the jobs has still to start.
pub(crate) fn watch(
    jobs: &[Record],
    mut tell: impl FnMut(usize, Option<Failure>) -> bool + Send + 'static,
) -> Result<(), Error> {
    let mut skipped = vec![false; jobs.len()];
    look(jobs.iter(), move |ids, looked| {
        for job in looked.jobs {
            let place = ids.iter().position(|id| *id == job.summary.session_id);
            let Some(place) = place else { continue };
            let is_skipped = words::never_starts(&job.summary);
            let was_skipped = std::mem::replace(&mut skipped[place], is_skipped);
            let why = is_skipped.then(|| failure(&job));
            if is_skipped != was_skipped && !tell(place, why) {
                return false;
            }
        }
        true
    })
}

/// Jobs as they are now.
struct Looked {
    /// Those that have answered.
    jobs: Vec<Record>,
    /// Whether the others were removed. If not, nothing is known of some: their host cannot be reached for now.
    is_whole: bool,
}

/// Shows `see` the ids of these jobs and their records as they are, now and whenever the phase of a job changes, until it
/// returns false. Starts a thread for that, if any of the jobs has still to start.
fn look<'a>(
    jobs: impl Iterator<Item = &'a Record> + Clone,
    mut see: impl FnMut(&[SessionId], Looked) -> bool + Send + 'static,
) -> Result<(), Error> {
    let is_queued = |job: &Record| job.summary.status == Status::Queued;
    if !jobs.clone().any(is_queued) {
        return Ok(());
    }
    let ids: Vec<SessionId> = jobs.map(|job| job.summary.session_id.clone()).collect();
    let mut told = Told::of(&[EventKind::Phase])?;
    beside::start(move || while see(&ids, records(&mut told, &ids)) && told.next().is_ok() {})
}

fn records(told: &mut Told, ids: &[SessionId]) -> Looked {
    let status = |id: &SessionId| {
        Action::Status(StatusParams {
            session_id: id.to_string(),
            detail: None,
            full_env: None,
        })
    };
    let answers = told.connection.call_all(ids.iter().map(status).collect());
    looked(answers.into_iter().map(|answer| read_reply(answer?)))
}

fn looked(answers: impl Iterator<Item = Result<Record, Error>>) -> Looked {
    let mut looked = Looked {
        jobs: Vec::new(),
        is_whole: true,
    };
    for answer in answers {
        match answer {
            Ok(job) => looked.jobs.push(job),
            Err(error) => looked.is_whole &= error.code.is_gone(),
        }
    }
    looked
}

/// Why a wait for these jobs is in vain; nothing if it is not. One job that cannot start is enough, unless the wait is
/// for any of them.
fn skipped(looked: &Looked, mode: WaitMode) -> Vec<Failure> {
    let jobs = &looked.jobs;
    let skipped = jobs.iter().filter(|job| words::never_starts(&job.summary));
    let failures: Vec<Failure> = skipped.map(failure).collect();
    match mode {
        WaitMode::All => failures,
        WaitMode::Any | WaitMode::Next if looked.is_whole && failures.len() == jobs.len() => {
            failures
        }
        WaitMode::Any | WaitMode::Next => Vec::new(),
    }
}

fn failure(job: &Record) -> Failure {
    let name = words::name(&job.summary);
    // This thread cannot ask what the bare name means here.
    let target = target::in_project(job).unwrap_or_else(|| name.clone());
    let why = words::waits_for(&job.summary).unwrap_or_default();
    let message = format!("{name} is skipped: {why}");
    Failure::with_message(Exit::STATE, message).hint(format!(
        "bgproc why {} gives the reason; {name} starts by itself when what it needs is there",
        quote(&target)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::ErrorCode;
    use crate::protocol::project::Waiting;

    #[test]
    fn a_wait_is_in_vain_if_all_or_one_of_all_cannot_start() {
        let mut api = record("a", Some("api"), Status::Queued);
        api.summary.waiting = Some(Waiting {
            why: "needs db ready".to_owned(),
            until: None,
            needs: None,
            never: true,
            resumable: false,
            queue: None,
            place: None,
        });
        let web = record("b", Some("web"), Status::Running);
        let both = [web.clone(), api.clone()];
        let with = |jobs: &[Record], error: Option<ErrorCode>, mode| -> Vec<String> {
            let jobs = jobs.iter().cloned().map(Ok);
            let error = error.map(|code| Err(Error::new(code, "no answer")));
            let failures = skipped(&looked(jobs.chain(error)), mode);
            failures.iter().map(ToString::to_string).collect()
        };
        let said = |jobs: &[Record], mode| with(jobs, None, mode);
        let told = ["api is skipped: needs db ready"];
        assert_eq!(said(&both, WaitMode::All), told);
        assert_eq!(said(&both[1..], WaitMode::Any), told);
        assert!(said(&both, WaitMode::Any).is_empty(), "web may end");
        assert!(said(&[web], WaitMode::All).is_empty());
        assert!(said(&[], WaitMode::All).is_empty());
        let and = |error| with(&both[1..], Some(error), WaitMode::Any);
        assert_eq!(and(ErrorCode::SessionRemoved), told);
        assert_eq!(and(ErrorCode::SessionNotFound), told);
        assert!(and(ErrorCode::HostUnreachable).is_empty(), "it may end");
        let unreachable = Some(ErrorCode::HostUnreachable);
        assert_eq!(with(&both[1..], unreachable, WaitMode::All), told);
    }
}
