//! `attach`: the dashboard on one job, typing into it at once.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::attach::{code, need_terminal, open};

#[derive(Args, Debug)]
pub struct Attach {
    /// Which job
    #[arg(value_name = "JOB", default_value = "-")]
    job: String,
    /// Only look
    #[arg(long)]
    read_only: bool,
    /// Keys that leave instead of ctrl-]; several, as in ctrl-p,ctrl-q, are pressed one after the other
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    detach_keys: Vec<String>,
    /// The whole screen for the job
    #[arg(long)]
    no_status: bool,
    /// Exit with the job's code if it has ended by then
    #[arg(long)]
    exit_code: bool,
}

impl Attach {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        need_terminal()?;
        let job = ctx.one(&self.job)?;
        ctx.hang_up();
        let id = &job.summary.session_id;
        open(id, self.read_only, &self.detach_keys, !self.no_status)?;
        match self.exit_code {
            true => code(ctx, id),
            false => Ok(Exit::OK),
        }
    }
}
