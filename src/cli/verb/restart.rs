//! `restart`: runs jobs again under the same id.

use std::time::Duration;

use clap::Args;

use super::state::each;
use crate::cli::context::{Among, Context, Found};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent;
use crate::cli::jobs::newest::newest;
use crate::cli::output::note;
use crate::cli::settings::grace;
use crate::cli::start::variables;
use crate::protocol::params::Restart as Params;
use crate::protocol::{Action, duration};

#[derive(Args, Debug)]
pub struct Restart {
    /// The jobs
    #[arg(value_name = "JOB", required_unless_present = "failed")]
    jobs: Vec<String>,
    /// Only jobs that have failed; without JOB, all of them
    #[arg(long, alias = "all-failed")]
    failed: bool,
    /// Set an environment variable (K=V), or take its value from the current environment (K), for
    /// this run and those after it
    #[arg(short, long = "env", value_name = "K=V")]
    env: Vec<String>,
    /// Set the variables of a .env file; can be repeated, and -e wins. ?FILE may be missing
    #[arg(long, value_name = "FILE")]
    env_file: Vec<String>,
    /// Time between TERM and KILL for running jobs; the default is 10s (`stop_grace_ms` of the
    /// configuration), for jobs of projects that of their file
    #[arg(short = 't', long, value_name = "TIME", value_parser = duration::parse)]
    grace: Option<Duration>,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    yes: bool,
}

impl Restart {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let grace_ms = grace::grace(self.grace)?;
        let env = variables::given(&self.env_file, &self.env)?;
        let found = self.targets(ctx)?;
        if self.failed && found.jobs.is_empty() && found.exit == Exit::OK {
            note("no job has failed");
            return Ok(Exit::OK);
        }
        if !self.yes {
            consent::to_stop(ctx, &found.jobs, "restarts")?;
        }
        // A job of a project, and one whose environment is lost, gets that of this command.
        ctx.daemon_with_surroundings()?;
        each(ctx, found, |job| {
            Action::Restart(Params {
                session_id: job.summary.session_id.to_string(),
                grace_ms: grace::of(&job.summary, self.grace, grace_ms),
                unique_label: Some(true),
                env: env.clone(),
                ..Params::default()
            })
        })
    }

    /// The jobs to restart.
    fn targets(&self, ctx: &mut Context) -> Result<Found, Failure> {
        if self.jobs.is_empty() {
            return Ok(Found {
                jobs: newest(ctx.jobs()?, |job| job.summary.has_failed()),
                exit: Exit::OK,
            });
        }
        let mut found = ctx.many(&self.jobs, Among::Any)?;
        found
            .jobs
            .retain(|job| !self.failed || job.summary.has_failed());
        Ok(found)
    }
}
