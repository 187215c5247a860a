//! `kill`: ends jobs at once. With a signal, only sends that signal, as kill(1) and docker do.

use std::time::Duration;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::ending::Ending;
use crate::cli::jobs::signals::{To, is_kill, send};
use crate::protocol::duration;

#[derive(Args, Debug)]
pub struct Kill {
    /// The jobs
    #[arg(value_name = "JOB", required_unless_present = "all")]
    jobs: Vec<String>,
    /// End every running job
    #[arg(long, conflicts_with = "jobs")]
    all: bool,
    /// Only send this signal to the foreground processes, without ending the jobs
    #[arg(short, long, value_name = "SIG")]
    signal: Option<String>,
    /// Accepted for compatibility with stop; KILL has no grace period
    #[arg(short = 't', long, value_name = "TIME", value_parser = duration::parse, hide = true)]
    grace: Option<Duration>,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    yes: bool,
}

impl Kill {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let ending = Ending {
            jobs: self.jobs,
            all: self.all,
            grace: self.grace,
            signal: Some("KILL".to_owned()),
            yes: self.yes,
        };
        match self.signal {
            Some(signal) if !is_kill(&signal) => {
                let found = ending.targets(ctx)?;
                send(ctx, found, &signal, To::Foreground)
            }
            _ => ending.run(ctx),
        }
    }
}
