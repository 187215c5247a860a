//! `pin`: keeps jobs and their logs for ever.

use clap::Args;

use super::group::set;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::protocol::params::Set;

#[derive(Args, Debug)]
pub struct Pin {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
    /// Keep them no longer than other jobs
    #[arg(long)]
    off: bool,
}

impl Pin {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        set(ctx, &self.jobs, |session_id| Set {
            session_id,
            keep: Some(!self.off),
            ..Set::default()
        })
    }
}
