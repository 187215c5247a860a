//! The plan of a request: what it would change.

use super::lines;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::protocol::Action;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{ChangeKind, PlannedChange, ProjectState};

/// What the request would change.
pub fn of(ctx: &mut Context, request: Project) -> Result<ProjectState, Failure> {
    let request = Project {
        op: Some(ProjectOp::Plan),
        wait_ms: None,
        ..request
    };
    Ok(ctx.daemon()?.call_as(Action::Project(request))?)
}

/// Prints what the request would change.
pub fn show(ctx: &mut Context, request: Project) -> Result<Exit, Failure> {
    let state = of(ctx, request)?;
    if ctx.json {
        ctx.out.json(&state)?
    } else {
        print(ctx, &state)?
    }
    Ok(Exit::OK)
}

/// Prints the plan of a request, and the warnings.
pub fn print(ctx: &mut Context, state: &ProjectState) -> Result<(), Failure> {
    for warning in &state.warnings {
        note(&format!("warning: {warning}"));
    }
    if !ctx.json {
        for change in &state.plan {
            ctx.out.line(&lines::planned(change))?;
        }
        ctx.out.flush()?;
    }
    Ok(())
}

/// The changes that end a run.
pub fn ended<'a>(
    request: &Project,
    state: &'a ProjectState,
    apply: bool,
) -> impl Iterator<Item = &'a PlannedChange> {
    let prunes = request.prune == Some(true);
    let ends = move |change: &&PlannedChange| match change.change {
        ChangeKind::Restart => apply && !change.ended,
        ChangeKind::Gone => prunes,
        _ => false,
    };
    state.plan.iter().filter(ends)
}

/// The restarts of jobs that run. A task that has ended is run again without a question.
pub fn running_restarts(state: &ProjectState) -> impl Iterator<Item = &PlannedChange> {
    let restarts = state.plan.iter();
    restarts.filter(|change| change.change == ChangeKind::Restart && !change.ended)
}

/// The jobs that run and are not in the file any more. Of one with a schedule nothing runs that could be stopped.
pub fn gone(state: &ProjectState) -> Vec<&str> {
    let is_gone = |name: &str| {
        let mut plan = state.plan.iter();
        plan.any(|change| change.change == ChangeKind::Gone && change.job == name)
    };
    let runs = |phase| !matches!(phase, PhaseName::Scheduled | PhaseName::Stopped);
    let jobs = state.jobs.iter();
    let gone = jobs.filter(|job| runs(job.phase) && is_gone(&job.job));
    gone.map(|job| job.job.as_str()).collect()
}
