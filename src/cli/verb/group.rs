//! `group`: puts jobs into groups, and shows and changes queues.

use clap::Args;

use super::queue::{self, Queue};
use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::unsaved;
use crate::cli::value::name::parse_name;
use crate::protocol::Action;
use crate::protocol::params::Set;

#[derive(Args, Debug)]
#[command(override_usage = "bgproc group [OPTIONS] [JOB]... [GROUP]")]
pub struct Group {
    /// The jobs, and the name of the group; an empty name takes them out of their groups. Without jobs,
    /// the queue of that name; without a name, all queues
    #[arg(value_name = "JOB... GROUP")]
    words: Vec<String>,
    #[command(flatten)]
    queue: Queue,
}

impl Group {
    pub(super) fn run(mut self, ctx: &mut Context) -> Result<Exit, Failure> {
        let Some(group) = self.words.pop() else {
            return if self.queue.is_given() {
                Err(Failure::Usage(
                    "the name of the queue is missing".to_owned(),
                ))
            } else {
                queue::list(ctx, None)
            };
        };
        let group = match group.as_str() {
            "" => group,
            name => parse_name(name).map_err(Failure::Usage)?,
        };
        match (self.words.is_empty(), self.queue.is_given()) {
            (true, true) => return self.queue.change(ctx, &group),
            (true, false) => return queue::list(ctx, Some(&group)),
            (false, true) => {
                let message = "a queue is changed without jobs: bgproc group NAME --parallel N";
                return Err(Failure::Usage(message.to_owned()));
            }
            (false, false) => {}
        }
        ctx.advice = |target| {
            let is_verb = ["add", "rm", "remove"].contains(&target);
            let how = "bgproc group NAME --parallel N makes a queue; --parallel 0 ends it";
            is_verb.then(|| how.to_owned())
        };
        set(ctx, &self.words, |session_id| Set {
            session_id,
            group: Some(group.clone()),
            ..Set::default()
        })
    }
}

/// Changes each of the jobs.
pub(super) fn set(
    ctx: &mut Context,
    targets: &[String],
    change: impl Fn(String) -> Set,
) -> Result<Exit, Failure> {
    let found = ctx.many(targets, Among::Any)?;
    let ids = found
        .jobs
        .iter()
        .map(|job| job.summary.session_id.to_string());
    let actions = ids.map(|id| Action::Set(change(id))).collect();
    let answers = ctx.daemon()?.call_all(actions);
    unsaved::report(ctx, answers, found.exit)
}
