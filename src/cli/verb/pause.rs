//! `pause`: stops all processes of jobs until they are resumed.

use clap::Args;

use super::state::{each, tree_signal};
use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::protocol::shell::quote;
use crate::protocol::{Record, Status};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub struct Pause {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
}

impl Pause {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut found = ctx.many(&self.jobs, Among::Going)?;
        let jobs = std::mem::take(&mut found.jobs);
        let is_waiting = |job: &Record| {
            let (job, next) = (&job.summary, words::next_run(&job.summary));
            job.status == Status::Queued || (!job.status.has_process() && next.is_some())
        };
        let (waiting, running): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_waiting);
        for (job, target) in waiting.iter().zip(ctx.targets_of(&waiting)) {
            found.exit = found.exit.or(ctx.complain(not_paused(job, &target)));
        }
        found.jobs = running;
        each(ctx, found, |job| {
            tree_signal(job.summary.session_id.to_string(), "STOP")
        })
    }
}

/// A job that has no process yet cannot be paused; its queue can. A schedule can be switched off. `target` means the job
/// in a command that is proposed.
fn not_paused(job: &Record, target: &str) -> Failure {
    let name = words::name(&job.summary);
    if words::next_run(&job.summary).is_some() {
        let message = format!("{name} does not run now: it waits for its schedule");
        let stop = format!("bgproc stop {} switches its schedule off", quote(target));
        return Failure::with_message(Exit::STATE, message).hint(stop);
    }
    let waiting = job.summary.waiting.as_ref();
    let queue = waiting.and_then(|waiting| waiting.queue.as_deref());
    let failure = Failure::with_message(Exit::STATE, format!("{name} does not run yet"));
    failure.hint(match queue {
        Some(queue) => format!(
            "bgproc group {} --pause lets its queue start nothing",
            quote(&clean(queue))
        ),
        None => format!("bgproc stop {} keeps it from starting", quote(target)),
    })
}
