//! What is asked before a plan is carried out.

use super::plan::{ended, running_restarts};
use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::cli::jobs::consent::{self, Unasked};
use crate::protocol::params::Project;
use crate::protocol::reply::{ChangeKind, PlannedChange, ProjectState};
use crate::term::sanitize::clean;

/// The changes that end running jobs that have `confirm = true` in the project file: with `apply` restarts, too.
pub fn confirmed<'a>(
    request: &Project,
    state: &'a ProjectState,
    apply: bool,
) -> Vec<&'a PlannedChange> {
    let asks = |change: &&PlannedChange| {
        let mut jobs = state.jobs.iter();
        jobs.any(|job| job.confirm && job.job == change.job)
    };
    ended(request, state, apply).filter(asks).collect()
}

/// Asks before these changes are made, if there are any. `command` makes them without a question. It ends the runs of
/// `count` jobs: those of others, too.
pub fn require(
    ctx: &mut Context,
    changes: &[&PlannedChange],
    count: usize,
    command: impl FnOnce(&Context) -> String,
) -> Result<(), Failure> {
    let named = |kind: ChangeKind, verb: &str| {
        let of_kind = changes.iter().filter(|change| change.change == kind);
        let names: Vec<String> = of_kind.map(|change| clean(&change.job)).collect();
        (!names.is_empty()).then(|| format!("{verb} {}", names.join(", ")))
    };
    let parts = [
        named(ChangeKind::Restart, "restart"),
        named(ChangeKind::Gone, "stop"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = changes.iter().map(|change| clean(&change.job)).collect();
    let mut kinds = changes.iter().map(|change| change.change);
    let is_restart = kinds.any(|kind| kind == ChangeKind::Restart);
    let unasked = Unasked {
        command: command(ctx),
        does: if is_restart { "restarts" } else { "stops" },
        count,
    };
    let unasked = unasked.failure(&names);
    consent::require(ctx, &parts.join(" and "), "nothing was changed", unasked)
}

/// Asks a person whether running jobs with another definition shall be restarted. Without a terminal nobody is asked,
/// and they are left alone.
pub fn to_apply(ctx: &mut Context, state: &ProjectState) -> Result<bool, Failure> {
    let restarts = running_restarts(state);
    let names: Vec<&str> = restarts.map(|change| change.job.as_str()).collect();
    if names.is_empty() {
        return Ok(false);
    }
    let question = format!("restart {} with the changed definition", names.join(", "));
    Ok(consent::ask(ctx, &question)? == Some(true))
}

/// Asks a person whether running jobs shall be stopped that are not in the file any more. Without a terminal nobody is
/// asked, and they are left alone.
pub fn to_prune(ctx: &mut Context, gone: &[&str]) -> Result<bool, Failure> {
    let names: Vec<String> = gone.iter().map(|name| clean(name)).collect();
    let are = match names.as_slice() {
        [] => return Ok(false),
        [_] => "which is",
        _ => "which are",
    };
    let question = format!("stop {}, {are} not in the file", names.join(", "));
    Ok(consent::ask(ctx, &question)? == Some(true))
}
