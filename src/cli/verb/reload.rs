//! `reload`: applies the changed file of a project.

use std::time::Duration;

use clap::Args;

use super::up::{begin, goes_on, settle};
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::jobs::consent::can_ask;
use crate::cli::output::{advised, note};
use crate::cli::project::source::Source;
use crate::cli::project::wanted::Wanted;
use crate::cli::project::{consent, foreign, plan};
use crate::protocol::duration;
use crate::protocol::params::{Project, ProjectOp};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub struct Reload {
    #[command(flatten)]
    source: Source,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Stop jobs that are not in the file any more
    #[arg(long)]
    prune: bool,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    yes: bool,
    /// Longest time to wait; the jobs go on afterwards
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
}

impl Reload {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        foreign::refuse(&self.source.file)?;
        self.apply(ctx).map_err(foreign::named)
    }

    fn apply(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut request = Project {
            prune: self.prune.then_some(true),
            wait_ms: Some(0),
            ..self.source.request()?
        };
        ctx.daemon_with_surroundings()?;
        let planned = Project {
            reload: Some(true),
            ..request.clone()
        };
        if self.dry_run {
            return plan::show(ctx, planned);
        }
        let is_shown = !self.yes && self.ask(ctx, planned, &mut request)?;
        request.op = Some(ProjectOp::Reload);
        let state = begin(ctx, &request, is_shown)?;
        if !ctx.json && state.jobs.iter().all(|job| !job.wanted) {
            let name = clean(&state.project.name);
            let up = advised(&self.source.command("up"));
            note(&format!("no job of {name} is up; {up} starts them"));
        }
        if !state.up {
            if ctx.json {
                ctx.out.json(&state)?;
            }
            return Ok(Exit::OK);
        }
        let wanted = Wanted::of(&request, &state);
        interrupt::leave_with(goes_on(&self.source))?;
        settle(ctx, &wanted, state, self.timeout, false)
    }

    /// Looks at the plan and asks for what needs a consent. Notes in the request whether the jobs are stopped that are
    /// not in the file any more. Returns whether the plan was shown.
    fn ask(
        &self,
        ctx: &mut Context,
        planned: Project,
        request: &mut Project,
    ) -> Result<bool, Failure> {
        let state = plan::of(ctx, planned)?;
        let confirmed = consent::confirmed(request, &state, true);
        let gone = if self.prune {
            Vec::new()
        } else {
            plan::gone(&state)
        };
        let is_any = !confirmed.is_empty() || !gone.is_empty();
        let is_shown = can_ask(ctx) && is_any;
        if is_shown {
            plan::print(ctx, &state)?;
        }
        let count = plan::ended(request, &state, true).count();
        consent::require(ctx, &confirmed, count, |ctx| ctx.given().unasked())?;
        if consent::to_prune(ctx, &gone)? {
            request.prune = Some(true);
        }
        Ok(is_shown)
    }
}
