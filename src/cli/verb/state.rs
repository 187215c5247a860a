//! `start`, `restart`, `pause`: change the state of jobs.

use std::time::Duration;

use clap::Args;

use crate::cli::context::{Among, Context, Found};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent::{self, Unasked};
use crate::cli::jobs::newest::newest;
use crate::cli::jobs::started::started_line;
use crate::cli::output::{note, words};
use crate::cli::settings::grace;
use crate::cli::start::launch::Taken;
use crate::client::read_reply;
use crate::protocol::duration;
use crate::protocol::params::{
    Restart as RestartParams, SignalName, SignalParams, SignalTarget, StatusParams,
};
use crate::protocol::shell::quote;
use crate::protocol::{Action, Error, Record, Status};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub struct Jobs {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Restart {
    /// The jobs
    #[arg(value_name = "JOB", required_unless_present = "failed")]
    jobs: Vec<String>,
    /// Only jobs that have failed; without JOB, all of them
    #[arg(long, alias = "all-failed")]
    failed: bool,
    /// Time between TERM and KILL for running jobs; the default is 10s (`stop_grace_ms` of the
    /// configuration), for jobs of projects that of their file
    #[arg(short = 't', long, value_name = "TIME", value_parser = duration::parse)]
    grace: Option<Duration>,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    yes: bool,
}

impl Restart {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let grace_ms = grace::grace(self.grace)?;
        let found = self.targets(ctx)?;
        if self.failed && found.jobs.is_empty() && found.exit == Exit::OK {
            note("no job has failed");
            return Ok(Exit::OK);
        }
        if !self.yes {
            let unasked = Unasked::of_jobs("restart", &found.jobs, "restarts");
            consent::to_stop(ctx, &found.jobs, &unasked)?;
        }
        // A job of a project, and one whose environment is lost, gets that of this command.
        ctx.daemon_with_surroundings()?;
        each(ctx, found, |job| {
            Action::Restart(RestartParams {
                session_id: job.summary.session_id.to_string(),
                grace_ms: grace::of(&job.summary, self.grace, grace_ms),
                unique_label: Some(true),
                ..RestartParams::default()
            })
        })
    }
}

impl Restart {
    /// The jobs to restart.
    fn targets(&self, ctx: &mut Context) -> Result<Found, Failure> {
        if self.jobs.is_empty() {
            return Ok(Found {
                jobs: newest(ctx.jobs()?, |job| job.summary.has_failed()),
                exit: Exit::OK,
            });
        }
        let mut found = ctx.many(&self.jobs, Among::Any)?;
        found
            .jobs
            .retain(|job| !self.failed || job.summary.has_failed());
        Ok(found)
    }
}

impl Jobs {
    pub(super) fn pause(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut found = ctx.many(&self.jobs, Among::Going)?;
        let jobs = std::mem::take(&mut found.jobs);
        let is_waiting = |job: &Record| job.summary.status == Status::Queued;
        let (waiting, running): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_waiting);
        for job in &waiting {
            found.exit = found.exit.or(ctx.complain(not_paused(job)));
        }
        found.jobs = running;
        each(ctx, found, |job| {
            tree_signal(job.summary.session_id.to_string(), "STOP")
        })
    }

    /// Runs the jobs again that have ended or are being stopped, and those now that wait for their turn; one that was lost with the command
    /// that continues it, if it has one. The others are only shown.
    pub(super) fn start(self, ctx: &mut Context) -> Result<Exit, Failure> {
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
            Action::Restart(RestartParams {
                session_id: id(job),
                unique_label: Some(true),
                // One that waits is started now, and does not wait on.
                resume: Some(job.summary.status != Status::Queued),
                ..RestartParams::default()
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

/// A job that has no process yet cannot be paused; its queue can.
fn not_paused(job: &Record) -> Failure {
    let name = words::name(&job.summary);
    let waiting = job.summary.waiting.as_ref();
    let queue = waiting.and_then(|waiting| waiting.queue.as_deref());
    let failure = Failure::with_message(Exit::STATE, format!("{name} does not run yet"));
    failure.hint(match queue {
        Some(queue) => format!(
            "bgproc group {} --pause lets its queue start nothing",
            quote(&clean(queue))
        ),
        None => format!("bgproc stop {} keeps it from starting", quote(&name)),
    })
}

/// What is meant by `start 'sleep 5'` and `start ./server`, as in other programs.
fn new_job(target: &str) -> Option<String> {
    let is_command = target.contains([' ', '/', '.']);
    let command = shlex::try_quote(target).ok().filter(|_| is_command)?;
    Some(format!("to start a new job: bgproc run {command}"))
}

/// Performs `action` on each job and prints the state of each afterwards.
fn each(
    ctx: &mut Context,
    found: Found,
    action: impl Fn(&Record) -> Action,
) -> Result<Exit, Failure> {
    let ids = found
        .jobs
        .iter()
        .map(|job| job.summary.session_id.to_string());
    let ids: Vec<_> = ids.collect();
    let actions = found.jobs.iter().map(action).collect();
    let answers = ctx.daemon()?.call_all(actions);
    let mut exit = found.exit;
    let is_one_of_several = found.jobs.len() > 1;
    for ((id, job), answer) in ids.into_iter().zip(&found.jobs).zip(answers) {
        let refused = |mut error: Error| {
            let name = words::name(&job.summary);
            if is_one_of_several && !error.message.contains(&name) {
                error.message = format!("{name}: {}", error.message);
            }
            refused(error)
        };
        let outcome = answer.map_err(refused).and_then(|_| show(ctx, id));
        if let Err(failure) = outcome {
            exit = exit.or(ctx.complain(failure));
        }
    }
    Ok(exit)
}

/// Explains the refusal to restart a job whose name another job has meanwhile taken.
pub(super) fn refused(error: Error) -> Failure {
    match Taken::by(&error) {
        Some(taken) => taken
            .refusal()
            .hint("stop that job, or rename one of the two"),
        None => error.into(),
    }
}

pub(super) fn tree_signal(session_id: String, signal: &str) -> Action {
    Action::Signal(SignalParams {
        session_id,
        signal: SignalName::Name(signal.to_owned()),
        target: Some(SignalTarget::Tree),
    })
}

pub(super) fn show(ctx: &mut Context, session_id: String) -> Result<(), Failure> {
    let value = ctx.daemon()?.call(Action::Status(StatusParams {
        session_id,
        detail: None,
        full_env: None,
    }))?;
    if ctx.json {
        ctx.out.json(&value)?;
        return Ok(());
    }
    let record: Record = read_reply(value)?;
    let line = started_line(ctx, &record);
    ctx.out.line(&line)
}
