//! Waits until the jobs of a project are as wanted, and shows their states meanwhile.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::block::Block;
use super::lines;
use super::wanted::Wanted;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::client::host;
use crate::protocol::duration::millis;
use crate::protocol::params::Project;
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{ChangeKind, ProjectJob, ProjectState};
use crate::protocol::{Action, Error, ErrorCode};
use crate::term::sanitize::clean;

/// Longest wait of one request. The next one goes on.
const ROUND: Duration = Duration::from_secs(60);

/// Why a wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// It is as wanted.
    Reached,
    /// The time is up.
    TimedOut,
}

/// What is shown during a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The states of the jobs, as they change. Nothing with `--json`.
    States,
    /// Nothing.
    Nothing,
}

/// How a wait is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// What is shown.
    pub view: View,
    /// Longest time. `None`: without an end.
    pub within: Option<Duration>,
}

/// Shows the states of the wanted jobs until `is_so`, or until the time of the wait has passed. They go on in any case.
pub fn until(
    ctx: &mut Context,
    wanted: &Wanted,
    mut state: ProjectState,
    wait: Wait,
    is_so: impl Fn(&ProjectState) -> bool,
) -> Result<(ProjectState, Over), Failure> {
    let mut wanted = wanted.clone();
    let gone = state
        .plan
        .iter()
        .filter(|change| change.change == ChangeKind::Gone);
    let gone: BTreeSet<String> = gone.map(|change| change.job.clone()).collect();
    // A time beyond what the clock can say never comes.
    let deadline = wait
        .within
        .and_then(|within| Instant::now().checked_add(within));
    let is_shown = wait.view == View::States && !ctx.json;
    let jobs = wanted.among(&state).count();
    let is_elsewhere = wanted.is_of_files() || host::chosen().is_some();
    let project = is_elsewhere.then(|| state.project.name.clone());
    let mut block = is_shown.then(|| Block::new(&ctx.out, jobs, project));
    loop {
        if let Some(block) = &mut block {
            let jobs: Vec<&ProjectJob> = wanted.among(&state).collect();
            block.show(&mut ctx.out, &jobs)?;
        }
        if is_so(&state) {
            return Ok((state, Over::Reached));
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Ok((state, Over::TimedOut));
        }
        let round = left.map_or(ROUND, |left| left.min(ROUND));
        let ask = Project {
            after: Some(state.seq),
            wait_ms: Some(millis(round).max(1)),
            ..wanted.status()
        };
        state = match ctx.daemon()?.call_as(Action::Project(ask)) {
            Ok(state) => state,
            // Those that were to be stopped have left the project.
            Err(error) if error.code == ErrorCode::SessionNotFound && wanted.leave_out(&gone) => {
                continue;
            }
            Err(error) => return Err(changed_meanwhile(error)),
        };
    }
}

/// The error if the jobs that are waited for are not in the project any more: nobody has mistyped them here.
fn changed_meanwhile(error: Error) -> Failure {
    if error.code != ErrorCode::SessionNotFound {
        return error.into();
    }
    let message = format!("another up or reload has changed it: {}", error.message);
    Failure::with_message(Exit::FAILED, message).hint("bgproc up brings up what its file has now")
}

/// Prints what became of the wanted jobs: the end of the output of those that failed, and the URLs of those that run.
pub fn conclude(
    ctx: &mut Context,
    wanted: &Wanted,
    state: &ProjectState,
    over: Over,
) -> Result<Exit, Failure> {
    if ctx.json {
        ctx.out.json(state)?;
    } else {
        tell_failed(ctx, wanted, state)?;
        for line in wanted.among(state).filter_map(lines::url) {
            ctx.out.line(&line)?;
        }
    }
    ctx.out.flush()?;
    if !state.up {
        return Ok(told_down(state));
    }
    let is_late = wanted.among(state).any(|job| job.late) && !state.failed;
    if is_late || (over == Over::TimedOut && !state.settled) {
        let late = told_late(&unsettled(ctx, wanted, state)?);
        note(&format!("{late}; the jobs go on"));
        return Ok(Exit::TIMED_OUT);
    }
    Ok(if state.failed { Exit::FAILED } else { Exit::OK })
}

/// Prints the end of the output of the jobs that failed.
pub fn tell_failed(
    ctx: &mut Context,
    wanted: &Wanted,
    state: &ProjectState,
) -> Result<(), Failure> {
    let failed = wanted.among(state).filter(|job| job.output.is_some());
    for job in failed {
        let output = lines::output(job);
        if !output.is_empty() {
            let heading = format!("{}: the end of its output:", lines::phase(job));
            ctx.out.line(&heading)?;
        }
        for line in output {
            ctx.out.line(&line)?;
        }
    }
    Ok(())
}

/// Says why a project is not up any more.
pub fn told_down(state: &ProjectState) -> Exit {
    let name = &state.project.name;
    note(&match &state.ended_by {
        Some(job) => {
            let ended = state.jobs.iter().find(|known| known.job == *job);
            let how = ended.and_then(lines::how).unwrap_or_default();
            format!(
                "{name} is brought down, because {} has ended{how}",
                clean(job)
            )
        }
        None => format!("{name} was brought down meanwhile"),
    });
    Exit::FAILED
}

/// What jobs that have not settled are late with: `not ready in time: db; not started in time: api`.
fn told_late(jobs: &[(String, PhaseName)]) -> String {
    let lacks = |phase: PhaseName| match phase {
        PhaseName::Queued => "started",
        // A service would have settled: it is a task.
        PhaseName::Running | PhaseName::Ready => "finished",
        _ => "ready",
    };
    let told = ["ready", "finished", "started"].map(|what| {
        let names = jobs.iter().filter(|(_, phase)| lacks(*phase) == what);
        let names: Vec<String> = names.map(|(name, _)| clean(name)).collect();
        (!names.is_empty()).then(|| format!("not {what} in time: {}", names.join(", ")))
    });
    told.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The jobs that have not settled, with their phases. Whether one that runs has still to end, or one that waits may start, only the daemon
/// knows.
fn unsettled(
    ctx: &mut Context,
    wanted: &Wanted,
    state: &ProjectState,
) -> Result<Vec<(String, PhaseName)>, Failure> {
    use PhaseName::{Queued, Ready, Retrying, Running, Starting, Stopping};
    let mut found = Vec::new();
    for job in wanted.among(state) {
        let has_settled = match job.phase {
            Retrying | Starting | Stopping => false,
            Queued | Running | Ready => {
                let only = Action::Project(wanted.status_of(&job.job));
                let alone: ProjectState = ctx.daemon()?.call_as(only)?;
                alone.settled
            }
            _ => true,
        };
        if !has_settled {
            found.push((job.job.clone(), job.phase));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_runs_is_not_finished_and_what_waits_is_not_started() {
        let jobs = [
            ("db", PhaseName::Starting),
            ("migrate", PhaseName::Running),
            ("api", PhaseName::Queued),
            ("web", PhaseName::Queued),
        ]
        .map(|(name, phase)| (name.to_owned(), phase));
        assert_eq!(
            told_late(&jobs),
            "not ready in time: db; not finished in time: migrate; not started in time: api, web"
        );
        assert_eq!(told_late(&jobs[1..2]), "not finished in time: migrate");
    }
}
