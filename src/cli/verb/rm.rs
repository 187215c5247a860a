//! `rm` and `clean`: remove ended jobs.

use std::time::Duration;

use clap::Args;

use crate::cli::context::{Among, Context, target};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent;
use crate::cli::output::{advised, complain, names, note, words};
use crate::protocol::params::Remove;
use crate::protocol::project::PhaseName;
use crate::protocol::shell::quote;
use crate::protocol::{Action, Record, Status, Timestamp, duration};

#[derive(Args, Debug)]
pub struct Rm {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
    /// End running jobs first
    #[arg(short, long, conflicts_with_all = ["older", "failed"])]
    force: bool,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Args, Debug)]
pub struct Clean {
    #[command(flatten)]
    which: Which,
}

// Which of the jobs. Not a doc comment, because clap would show it as help.
#[derive(Args, Debug)]
struct Which {
    /// Only failed jobs
    #[arg(long)]
    failed: bool,
    /// Only jobs that ended longer ago than this time (2h, 7d)
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    older: Option<Duration>,
    /// Only print what would be removed
    #[arg(long)]
    dry_run: bool,
}

/// Whether its schedule starts it again: only its last run is over.
fn is_scheduled(job: &Record) -> bool {
    let of = job.summary.project.as_ref();
    of.is_some_and(|of| of.phase == PhaseName::Scheduled)
}

/// Whether it waits for its turn in a queue, so that nothing has to be stopped. A job of a project is stopped first,
/// because its project says when it runs.
fn only_waits(job: &Record) -> bool {
    job.summary.status == Status::Queued && job.summary.project.is_none()
}

impl Which {
    fn is(&self, job: &Record, now: Timestamp) -> bool {
        let is_old = |time: Duration| {
            let ended = job.summary.ended_at;
            ended.is_some_and(|ended| words::since(ended, now) > duration::millis(time))
        };
        (job.summary.has_failed() || !self.failed) && self.older.is_none_or(is_old)
    }
}

impl Rm {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let found = ctx.many(&self.jobs, Among::Any)?;
        let mut exit = found.exit;
        let (running, mut over): (Vec<_>, Vec<_>) = found
            .jobs
            .into_iter()
            .partition(|job| !job.summary.status.is_finished() && !only_waits(job));
        let now = words::now();
        over.retain(|job| self.which.is(job, now));
        if let ([target], [job]) = (self.jobs.as_slice(), over.as_slice())
            && target::is_beginning(target, job)
        {
            note(&format!(
                "{target} is the beginning of {}",
                words::name(&job.summary)
            ));
        }
        if self.force {
            if !self.yes && !self.which.dry_run {
                consent::to_stop(ctx, &running, "removes")?;
            }
            over.extend(running);
        } else if self.which.older.is_none() && !self.which.failed {
            for (job, target) in running.iter().zip(ctx.targets_of(&running)) {
                let name = words::name(&job.summary);
                let message = format!("{name} is {}", job.summary.status.as_str());
                let target = quote(&target);
                let hint =
                    format!("bgproc stop {target} ends it, bgproc rm --force {target} does both");
                let failure = Failure::with_message(Exit::STATE, message).hint(hint);
                complain(&failure);
                exit = exit.or(failure.exit());
            }
        }
        if over.is_empty() && exit != Exit::OK {
            // What is wrong has been said.
            return Ok(exit);
        }
        Ok(exit.or(remove(ctx, &over, self.which.dry_run)?))
    }
}

impl Clean {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut jobs = ctx.jobs()?;
        let now = words::now();
        let is_over = |job: &Record| job.summary.status.is_finished() && !is_scheduled(job);
        jobs.retain(|job| is_over(job) && self.which.is(job, now));
        // Jobs of a project that is up are kept for the project, not by a person.
        let is_pinned = |job: &Record| job.summary.keep && job.summary.project.is_none();
        let (pinned, jobs): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_pinned);
        if !pinned.is_empty() && !ctx.json {
            let stay = match pinned.len() {
                1 => "1 pinned job stays".to_owned(),
                count => format!("{count} pinned jobs stay"),
            };
            note(&advised(&format!(
                "{stay}; bgproc rm removes it by its name"
            )));
        }
        remove(ctx, &jobs, self.which.dry_run)
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
        for name in names::together(&removed) {
            ctx.out.line(&name)?;
        }
    }
    let (count, size) = (removed.len(), words::amount(bytes));
    let jobs = if count == 1 { "job" } else { "jobs" };
    let done = if dry_run { "would remove" } else { "removed" };
    ctx.out
        .line(&format!("{done} {count} {jobs}, {size} of output"))?;
    Ok(exit)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::jobs::newest::newest;
    use crate::cli::output::fixture::record;
    use crate::cli::output::state;

    #[test]
    fn failed_is_the_same_for_each_verb() {
        let mut early = record("early", None, Status::Done);
        let role = json!({"name": "shop", "dir": "/srv", "job": "api", "phase": "failed",
            "why": "ended before it was ready", "place": 0, "needs": []});
        early.summary.project = serde_json::from_value(role).unwrap();
        let statuses =
            Status::ALL.map(|status| record(&status.as_str().replace('_', ""), None, status));
        let which = Which {
            failed: true,
            older: None,
            dry_run: false,
        };
        for job in statuses.iter().chain([&early]) {
            let id = job.summary.session_id.as_str();
            let expected = ["early", "error", "timed", "lost"]
                .iter()
                .any(|failed| id.starts_with(failed));
            let listed = state::parse("failed").unwrap().is(&job.summary);
            let cleaned = which.is(job, words::now());
            let restarted = newest(vec![job.clone()], |job| job.summary.has_failed());
            assert_eq!(listed, expected, "ls --status failed: {id}");
            assert_eq!(cleaned, expected, "clean --failed: {id}");
            assert_eq!(
                restarted.len(),
                usize::from(expected),
                "restart --failed: {id}"
            );
        }
    }
}
