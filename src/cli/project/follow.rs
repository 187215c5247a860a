//! Waits until the jobs of a project are as wanted, and shows their states meanwhile.

use std::time::{Duration, Instant};

use super::block::Block;
use super::lines;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::protocol::Action;
use crate::protocol::duration::millis;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::ProjectState;

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

/// Shows the states until `is_so`, or until `within` has passed. `request` names the project. The jobs go on in any
/// case.
pub fn until(
    ctx: &mut Context,
    request: &Project,
    mut state: ProjectState,
    (view, within): (View, Option<Duration>),
    is_so: impl Fn(&ProjectState) -> bool,
) -> Result<(ProjectState, Over), Failure> {
    let deadline = within.map(|within| Instant::now() + within);
    let wanted = state.jobs.iter().filter(|job| job.wanted).count();
    let is_shown = view == View::States && !ctx.json;
    let mut block = is_shown.then(|| Block::new(&ctx.out, wanted));
    loop {
        if let Some(block) = &mut block {
            block.show(&mut ctx.out, &state)?;
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
            op: None,
            jobs: None,
            after: Some(state.seq),
            wait_ms: Some(millis(round).max(1)),
            files: request.files.clone(),
            dir: request.dir.clone(),
            ..Project::default()
        };
        state = ctx.daemon()?.call_as(Action::Project(ask))?;
    }
}

/// Prints what became of the jobs: the end of the output of those that failed, and the URLs of those that run.
pub fn conclude(ctx: &mut Context, state: &ProjectState, over: Over) -> Result<Exit, Failure> {
    if ctx.json {
        ctx.out.json(state)?;
    } else {
        let wanted = state.jobs.iter().filter(|job| job.wanted);
        for job in wanted.clone().filter(|job| job.phase == PhaseName::Failed) {
            let output = lines::output(job);
            if !output.is_empty() {
                let heading = format!("{}: the end of its output:", lines::phase(job));
                ctx.out.line(&heading)?;
            }
            for line in output {
                ctx.out.line(&line)?;
            }
        }
        for line in wanted.filter_map(lines::url) {
            ctx.out.line(&line)?;
        }
    }
    ctx.out.flush()?;
    let is_late = state.jobs.iter().any(|job| job.wanted && job.late) && !state.failed;
    Ok(match over {
        _ if is_late || (over == Over::TimedOut && !state.settled) => {
            let late = state
                .jobs
                .iter()
                .filter(|job| job.wanted && is_on_the_way(job.phase));
            let late: Vec<&str> = late.map(|job| job.job.as_str()).collect();
            note(&format!(
                "not ready in time: {}; the jobs go on",
                late.join(", ")
            ));
            Exit::TIMED_OUT
        }
        _ if state.failed => Exit::FAILED,
        _ => Exit::OK,
    })
}

fn is_on_the_way(phase: PhaseName) -> bool {
    use PhaseName::{Queued, Retrying, Starting, Stopping};
    matches!(phase, Queued | Retrying | Starting | Stopping)
}

/// A request for the state, now.
pub fn status(request: &Project) -> Project {
    Project {
        op: Some(ProjectOp::Status),
        files: request.files.clone(),
        dir: request.dir.clone(),
        ..Project::default()
    }
}
