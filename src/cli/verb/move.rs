//! `move`: moves jobs that wait in a queue.

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::unsaved;
use crate::cli::value::number;
use crate::protocol::Action;
use crate::protocol::params::Set;

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("place").required(true))]
pub struct Move {
    /// Jobs that wait in a queue
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
    /// Start them before all others
    #[arg(long, group = "place")]
    first: bool,
    /// Start them after all others
    #[arg(long, group = "place")]
    last: bool,
    /// Move them to this place, counted from 1
    #[arg(long, value_name = "N", group = "place", value_parser = number::from::<u32>(1))]
    to: Option<u32>,
}

impl Move {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let found = ctx.many(&self.jobs, Among::Going)?;
        let place = match (self.to, self.last) {
            (Some(place), _) => place,
            (None, true) => u32::MAX,
            (None, false) => 1,
        };
        let mut ids: Vec<String> = found
            .jobs
            .iter()
            .map(|job| job.summary.session_id.to_string())
            .collect();
        // Several jobs keep their order: the last one goes first to a place, and the others go before it.
        if !self.last {
            ids.reverse();
        }
        let mut answers = Vec::new();
        // One after the other: the order counts.
        for session_id in ids {
            let set = Action::Set(Set {
                session_id,
                place: Some(place),
                ..Set::default()
            });
            answers.push(ctx.daemon()?.call(set));
        }
        unsaved::report(ctx, answers, found.exit)
    }
}
