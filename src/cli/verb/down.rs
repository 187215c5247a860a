//! `down`: stop all jobs of a project.

use std::time::Duration;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent::{self, Unasked};
use crate::cli::output::note;
use crate::cli::project::end::{is_down, is_going};
use crate::cli::project::follow::{Over, View, Wait, until};
use crate::cli::project::source::Source;
use crate::cli::project::wanted::Wanted;
use crate::protocol::Action;
use crate::protocol::duration;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{ProjectJob, ProjectState};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub struct Down {
    #[command(flatten)]
    source: Source,
    /// Send KILL at once
    #[arg(long)]
    now: bool,
    /// Longest time to wait; the jobs are ended in any case
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    yes: bool,
}

impl Down {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let had_schedules = self.look_and_ask(ctx)?;
        let request = Project {
            op: Some(ProjectOp::Down),
            now: self.now.then_some(true),
            wait_ms: Some(0),
            ..self.source.request()?
        };
        let state: ProjectState = ctx.daemon()?.call_as(Action::Project(request.clone()))?;
        let before = state.jobs.iter().filter(|job| is_going(job)).count();
        let is_over = |state: &ProjectState| state.up || !state.jobs.iter().any(is_going);
        let wait = Wait {
            view: View::Nothing,
            within: self.timeout,
        };
        let all = Wanted::all(&request);
        let (state, over) = until(ctx, &all, state, wait, is_over)?;
        if ctx.json {
            ctx.out.json(&state)?;
        }
        for warning in &state.warnings {
            note(warning);
        }
        let name = &state.project.name;
        if state.up {
            note(&format!("{name} was brought up again meanwhile"));
            return Ok(Exit::FAILED);
        }
        match (over, before) {
            (Over::TimedOut, _) => {
                let left = state.jobs.iter().filter(|job| is_going(job));
                let left: Vec<&str> = left.map(|job| job.job.as_str()).collect();
                note(&format!("not ended in time: {}", left.join(", ")));
                return Ok(Exit::TIMED_OUT);
            }
            _ if ctx.json => {}
            (_, 0) if had_schedules => {
                let name = clean(name);
                ctx.out
                    .line(&format!("{name} is down: its schedules are off"))?;
            }
            (_, 0) => note(&format!("no job of {name} was running")),
            (_, jobs) => ctx.out.line(&is_down(name, jobs))?,
        }
        Ok(if state.warnings.is_empty() {
            Exit::OK
        } else {
            Exit::FAILED
        })
    }
}

impl Down {
    /// Asks before jobs are stopped that have `confirm = true` in the project file. Returns whether schedules would start jobs.
    fn look_and_ask(&self, ctx: &mut Context) -> Result<bool, Failure> {
        let request = Project {
            op: Some(ProjectOp::Status),
            ..self.source.request()?
        };
        let state: ProjectState = ctx.daemon()?.call_as(Action::Project(request))?;
        if !self.yes {
            let asks = |job: &&ProjectJob| job.confirm && is_going(job);
            let names = state.jobs.iter().filter(asks).map(|job| clean(&job.job));
            let unasked = Unasked {
                command: ctx.given().unasked(),
                does: "stops",
                count: state.jobs.iter().filter(|job| is_going(job)).count(),
            };
            consent::named(ctx, &names.collect::<Vec<_>>(), &unasked)?;
        }
        let mut jobs = state.jobs.iter();
        Ok(jobs.any(|job| job.phase == PhaseName::Scheduled))
    }
}
