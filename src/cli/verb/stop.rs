//! `stop`: ends jobs and all processes that they have started.

use std::time::Duration;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::ending::Ending;
use crate::config::duration;

#[derive(Args, Debug)]
pub struct Stop {
    /// The jobs
    #[arg(value_name = "JOB", required_unless_present = "all")]
    jobs: Vec<String>,
    /// End every running job
    #[arg(long, conflicts_with = "jobs")]
    all: bool,
    /// Time between the signal and KILL; the default is 10s (`stop_grace_ms` of the configuration)
    #[arg(short = 't', long, value_name = "TIME", value_parser = duration::parse)]
    grace: Option<Duration>,
    /// Send this signal instead of TERM
    #[arg(short, long)]
    signal: Option<String>,
}

impl Stop {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let Self {
            jobs,
            all,
            grace,
            signal,
        } = self;
        Ending {
            jobs,
            all,
            grace,
            signal,
        }
        .run(ctx)
    }
}
