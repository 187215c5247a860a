//! The queues of `group`: shows and changes them.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{advised, note, words};
use crate::cli::value::number;
use crate::client::read_reply;
use crate::protocol::params;
use crate::protocol::project::OnFailure;
use crate::protocol::reply::{QueueState, Queues};
use crate::protocol::shell::quote;
use crate::protocol::{Action, SessionId};
use crate::term::sanitize::clean;

// What makes a group a queue. Not a doc comment, because clap would show it as help.
#[derive(Args, Debug)]
pub(super) struct Queue {
    /// Make GROUP a queue, in which N jobs run at once; 0: it is a queue no longer
    #[arg(long, value_name = "N", value_parser = number::from::<u32>(0))]
    parallel: Option<u32>,
    /// What a job that fails does to the queue GROUP: continue, or pause it
    #[arg(long, value_name = "WHAT")]
    on_failure: Option<WhenFailed>,
    /// Let the queue GROUP start nothing
    #[arg(long, conflicts_with = "resume")]
    pause: bool,
    /// Let the queue GROUP start jobs again
    #[arg(long)]
    resume: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum WhenFailed {
    Continue,
    Pause,
}

impl Queue {
    /// Whether any of its flags is given.
    pub(super) fn is_given(&self) -> bool {
        self.parallel.is_some() || self.on_failure.is_some() || self.pause || self.resume
    }

    /// Changes the queue, and shows it.
    pub(super) fn change(self, ctx: &mut Context, group: &str) -> Result<Exit, Failure> {
        let paused = match (self.pause, self.resume) {
            (false, false) => None,
            (pause, _) => Some(pause),
        };
        let on_failure = self.on_failure.map(|what| match what {
            WhenFailed::Continue => OnFailure::Continue,
            WhenFailed::Pause => OnFailure::Pause,
        });
        let action = Action::Queue(params::Queue {
            group: Some(group.to_owned()),
            parallel: self.parallel,
            on_failure,
            paused,
            dir: None,
        });
        ctx.daemon_with_surroundings()?;
        let value = ctx.daemon()?.call(action)?;
        show(ctx, value)
    }
}

/// Shows the queue of that name, or all.
pub(super) fn list(ctx: &mut Context, group: Option<&str>) -> Result<Exit, Failure> {
    let action = Action::Queue(params::Queue {
        group: group.map(str::to_owned),
        ..params::Queue::default()
    });
    ctx.daemon_with_surroundings()?;
    let value = ctx.daemon()?.call(action)?;
    show(ctx, value)
}

fn show(ctx: &mut Context, value: serde_json::Value) -> Result<Exit, Failure> {
    if ctx.json {
        ctx.out.json(&value)?;
        return Ok(Exit::OK);
    }
    let found: Queues = read_reply(value)?;
    if found.queues.is_empty() {
        note(&advised(
            "no queues; bgproc group NAME --parallel 1 makes one",
        ));
    }
    let listed = ctx.jobs()?;
    let name = |id: &SessionId| {
        let mut jobs = listed.iter().map(|job| &job.summary);
        let job = jobs.find(|job| job.session_id == *id);
        job.map_or_else(|| id.to_string(), words::name)
    };
    for queue in &found.queues {
        for line in lines(queue, name) {
            ctx.out.line(&line)?;
        }
    }
    Ok(Exit::OK)
}

/// `builds  2 at once  1 running: a  2 waiting: b, c`, and why it is paused.
fn lines(queue: &QueueState, name: impl Fn(&SessionId) -> String) -> Vec<String> {
    let of = queue.project.as_ref();
    let mut line = match of {
        Some(project) => format!("{}/{}", clean(&project.name), clean(&queue.queue)),
        None => clean(&queue.queue),
    };
    if queue.parallel == 0 {
        line.push_str("  is no longer a queue");
        return vec![line];
    }
    line.push_str(&format!("  {} at once", queue.parallel));
    if queue.on_failure == OnFailure::Pause {
        line.push_str(", pauses after a failure");
    }
    let mut lines = vec![line];
    if queue.paused {
        let why = queue.why.as_deref().map(|why| format!(": {}", clean(why)));
        let why = why.unwrap_or_default();
        let resume = format!("bgproc group {} --resume", quote(&clean(&queue.queue)));
        lines.push(format!("  paused{why} ({})", advised(&resume)));
    }
    let named = |ids: &[SessionId]| ids.iter().map(&name).collect::<Vec<_>>().join(", ");
    for (what, ids) in [
        ("running", &queue.running),
        ("waiting", &queue.waiting),
        ("skipped", &queue.skipped),
    ] {
        if !ids.is_empty() {
            lines.push(format!("  {what}: {}", named(ids)));
        }
    }
    lines
}
