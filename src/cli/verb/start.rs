//! `start`: runs jobs again that have ended, and those now that wait for their turn.

use clap::Args;

use super::state::{refused, show};
use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::protocol::params::Restart;
use crate::protocol::{Action, Record, Status};

#[derive(Args, Debug)]
pub struct Start {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
}

impl Start {
    /// Runs the jobs again that have ended or are being stopped, and those now that wait for their turn; one that was lost with the command
    /// that continues it, if it has one. The others are only shown.
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        ctx.advice = new_job;
        let found = ctx.many(&self.jobs, Among::Any)?;
        let ended = |job: &&Record| {
            let status = job.summary.status;
            let waits = matches!(status, Status::Retrying | Status::Queued);
            // What is being stopped is started after its end.
            status.is_finished() || waits || status == Status::Stopping
        };
        let id = |job: &Record| job.summary.session_id.to_string();
        let restart = |job: &Record| {
            Action::Restart(Restart {
                session_id: id(job),
                unique_label: Some(true),
                // One that waits is started now, and does not wait on.
                resume: Some(job.summary.status != Status::Queued),
                ..Restart::default()
            })
        };
        let actions = found.jobs.iter().filter(ended).map(restart).collect();
        let mut exit = found.exit;
        // A job whose environment is lost gets that of this command.
        for answer in ctx.daemon_with_surroundings()?.call_all(actions) {
            if let Err(error) = answer {
                exit = exit.or(ctx.complain(refused(error)));
            }
        }
        for job in &found.jobs {
            show(ctx, id(job))?;
        }
        Ok(exit)
    }
}

/// What is meant by `start 'sleep 5'` and `start ./server`, as in other programs.
fn new_job(target: &str) -> Option<String> {
    let is_command = target.contains([' ', '/', '.']);
    let command = shlex::try_quote(target).ok().filter(|_| is_command)?;
    Some(format!("to start a new job: bgproc run {command}"))
}
