//! `rm` and `clean`: remove ended jobs.

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent;
use crate::cli::output::{complain, words};
use crate::protocol::params::Remove;
use crate::protocol::{Action, Record, Status};

#[derive(Args, Debug)]
pub struct Rm {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
    /// End running jobs first
    #[arg(short, long)]
    force: bool,
    /// Do not ask before jobs are stopped whose project file wants that
    #[arg(short, long)]
    yes: bool,
    /// Only print what would be removed
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args, Debug)]
pub struct Clean {
    /// Only failed jobs
    #[arg(long)]
    failed: bool,
    /// Only print what would be removed
    #[arg(long)]
    dry_run: bool,
}

impl Rm {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let found = ctx.many(&self.jobs, Among::Any)?;
        let mut exit = found.exit;
        let (running, mut over): (Vec<_>, Vec<_>) = found
            .jobs
            .into_iter()
            .partition(|job| !job.summary.status.is_finished());
        if self.force {
            consent::to_stop(ctx, &running, self.yes || self.dry_run)?;
            over.extend(running);
        } else {
            for job in &running {
                let name = words::name(&job.summary);
                let message = format!("{name} is {}", job.summary.status.as_str());
                let hint = format!("bgproc stop {name} ends it, bgproc rm --force does both");
                let failure = Failure::with_message(Exit::STATE, message).hint(hint);
                complain(&failure);
                exit = exit.or(failure.exit());
            }
        }
        Ok(exit.or(remove(ctx, &over, self.dry_run)?))
    }
}

impl Clean {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut jobs = ctx.jobs()?;
        jobs.retain(|job| {
            let status = job.summary.status;
            let wrong = matches!(status, Status::Error | Status::TimedOut | Status::Lost);
            status.is_finished() && (wrong || !self.failed)
        });
        remove(ctx, &jobs, self.dry_run)
    }
}

/// Removes `jobs`, and prints how many they were and the size of their logs.
fn remove(ctx: &mut Context, jobs: &[Record], dry_run: bool) -> Result<Exit, Failure> {
    let removals = jobs.iter().map(|job| {
        Action::Remove(Remove {
            session_id: job.summary.session_id.to_string(),
            kill: None,
        })
    });
    let mut exit = Exit::OK;
    let mut removed = jobs.to_vec();
    if !dry_run {
        removed.clear();
        let answers = ctx.daemon()?.call_all(removals.collect());
        for (job, answer) in jobs.iter().zip(answers) {
            match answer {
                Ok(_) => removed.push(job.clone()),
                Err(error) => {
                    exit = exit.or(ctx.complain(error.into()));
                }
            }
        }
    }
    let kept = |job: &Record| {
        job.summary
            .output_bytes
            .saturating_sub(job.summary.dropped_bytes)
    };
    let bytes = removed.iter().map(kept).sum();
    if ctx.json {
        let ids: Vec<_> = removed.iter().map(|job| &job.summary.session_id).collect();
        ctx.out.json(&serde_json::json!({
            "removed": ids, "bytes": bytes, "dryRun": dry_run,
        }))?;
        return Ok(exit);
    }
    if dry_run {
        for job in &removed {
            ctx.out.line(&words::name(&job.summary))?;
        }
    }
    let (count, size) = (removed.len(), words::bytes(bytes));
    let jobs = if count == 1 { "job" } else { "jobs" };
    let done = if dry_run { "would remove" } else { "removed" };
    ctx.out
        .line(&format!("{done} {count} {jobs}, {size} of output"))?;
    Ok(exit)
}
