//! `attach`: opens the dashboard on one job, in INSERT mode.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::attach::{code, need_terminal, open};

#[derive(Args, Debug)]
pub struct Attach {
    /// The job; by default the one that was used last
    #[arg(value_name = "JOB", default_value = "-")]
    job: String,
    /// Only look, do not type
    #[arg(long)]
    read_only: bool,
    /// Keys that leave INSERT instead of ctrl-], before q; several, as in ctrl-p,ctrl-q, are pressed one after the other
    #[arg(long, value_name = "KEY,…", value_delimiter = ',')]
    detach_keys: Vec<String>,
    /// Use the whole screen for the job, without a status line
    #[arg(long)]
    no_status: bool,
    /// Exit with the exit code of the job, if it has ended
    #[arg(long)]
    exit_code: bool,
}

impl Attach {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        // Without such a job, the hint has no name.
        need_terminal(|| {
            let job = ctx.one(&self.job).ok()?;
            Some(ctx.target_of(&job))
        })?;
        let job = ctx.one(&self.job)?;
        ctx.hang_up();
        let id = &job.summary.session_id;
        open(id, self.read_only, &self.detach_keys, !self.no_status)?;
        if self.exit_code {
            code(ctx, id)
        } else {
            Ok(Exit::OK)
        }
    }
}
