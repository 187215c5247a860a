//! Ends jobs together with all processes that they have started.

use std::time::{Duration, Instant};

use clap::Args;

use super::consent;
use super::ended::end;
use super::signals::{is_kill, name};
use crate::cli::context::{Among, Context, Found};
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::output::{advised, names, note, words};
use crate::cli::settings::grace;
use crate::client::read_reply;
use crate::protocol::duration;
use crate::protocol::params::Kill;
use crate::protocol::reply::Killed;
use crate::protocol::shell::quote;
use crate::protocol::{self, Record, Status, Summary};

// Which jobs to end, and how: the options of `stop`. Not a doc comment, because clap would show it as help.
#[derive(Args, Debug)]
pub(in crate::cli) struct Ending {
    /// The jobs
    #[arg(value_name = "JOB", required_unless_present = "all")]
    pub(in crate::cli) jobs: Vec<String>,
    /// End every running job
    #[arg(long, conflicts_with = "jobs")]
    pub(in crate::cli) all: bool,
    /// Time between the signal and KILL; the default is 10s (`stop_grace_ms` of the configuration)
    #[arg(short = 't', long, value_name = "TIME", value_parser = duration::parse)]
    pub(in crate::cli) grace: Option<Duration>,
    /// Send this signal instead of TERM
    #[arg(short, long, value_name = "SIG")]
    pub(in crate::cli) signal: Option<String>,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
}

impl Ending {
    pub(in crate::cli) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let Found { jobs, exit } = self.targets(ctx)?;
        if jobs.is_empty() && exit == Exit::OK {
            note("no job is running");
        }
        if !self.yes {
            let is_kill = self.signal.as_deref().is_some_and(is_kill);
            consent::to_stop(ctx, &jobs, if is_kill { "kills" } else { "stops" })?;
        }
        let began = Instant::now();
        let grace = grace::grace(self.grace)?;
        if !jobs.is_empty() && !self.signal.as_deref().is_some_and(is_kill) {
            interrupt::leave_with(self.goes_on(ctx, &jobs, grace))?;
        }
        let wish = |job: &Record| (job.summary.session_id.clone(), self.manner(job, grace));
        let wishes: Vec<_> = jobs.iter().map(wish).collect();
        let names = ctx.names_from_here(&jobs);
        let mut worst = exit;
        end(ctx, &wishes, |ctx, ended| {
            let (job, name) = (&jobs[ended.place], &names[ended.place]);
            let outcome = ended.answer.map_err(Failure::from).and_then(|value| {
                if ctx.json {
                    ctx.out.json(&value)?;
                }
                let mut killed: Killed = read_reply(value)?;
                // It ran when it was asked for the first time.
                killed.already_ended &= !ended.is_repeated || job.summary.status.is_finished();
                let took = ended.at.saturating_duration_since(began);
                report(ctx, (job, name), &killed, took)
            });
            worst = worst.or(outcome.unwrap_or_else(|failure| ctx.complain(failure)));
            Ok(())
        })?;
        Ok(worst)
    }

    /// The jobs to end.
    pub(in crate::cli) fn targets(&self, ctx: &mut Context) -> Result<Found, Failure> {
        if !self.all {
            ctx.advice = |target| {
                let is_all = target == "all";
                is_all.then(|| "--all ends every running job".to_owned())
            };
            return ctx.many(&self.jobs, Among::Going);
        }
        let mut jobs = ctx.jobs()?;
        jobs.retain(|job| !job.summary.status.is_finished());
        Ok(Found {
            jobs,
            exit: Exit::OK,
        })
    }

    /// The message for a person who waits no longer for the end of these jobs.
    fn goes_on(&self, ctx: &mut Context, jobs: &[Record], grace_ms: u64) -> String {
        let names = names::together(jobs).join(" ");
        let targets: Vec<String> = if self.all {
            // Not those that others start meanwhile.
            ctx.targets_of(jobs)
        } else {
            ctx.lasting(&self.jobs, jobs)
        };
        let targets: Vec<_> = targets.iter().map(|target| quote(target)).collect();
        let targets = targets.join(" ");
        let own = jobs.iter().any(|job| job.summary.project.is_some());
        let is_stopping = |job: &Record| job.summary.status == Status::Stopping;
        let after = match self.grace {
            None if own => "the grace period of its project file".to_owned(),
            None if jobs.iter().any(is_stopping) => "the grace period that has begun".to_owned(),
            _ => words::span(grace_ms),
        };
        let are = if jobs.len() == 1 { "is" } else { "are" };
        format!(
            "{names} {are} still being stopped, and killed after {after}; to kill now: bgproc kill {targets}"
        )
    }

    fn manner(&self, job: &Record, grace_ms: u64) -> Kill {
        let force = self.signal.as_deref().is_some_and(is_kill);
        Kill {
            signal: self.signal.as_deref().filter(|_| !force).map(name),
            force: force.then_some(true),
            grace_ms: grace::of(&job.summary, self.grace, grace_ms),
            ..Kill::default()
        }
    }
}

/// Prints `web  stopped (exit 143, 0.4s)`, and the pids of processes that are still alive.
fn report(
    ctx: &mut Context,
    (job, name): (&Record, &str),
    killed: &Killed,
    took: Duration,
) -> Result<Exit, Failure> {
    if !ctx.json {
        let ending = protocol::Ending::from(killed);
        // It has no next run if its schedule was off before.
        let of = job.summary.project.as_ref();
        let of = of.filter(|of| of.has_next_run());
        let off = of.map(words::schedule_off);
        let line = if let Some(off) = &off
            && words::next_run(&job.summary).is_some()
        {
            advised(&format!("{name}  {off}"))
        } else if killed.previous_status == Status::Queued && !killed.already_ended {
            format!("{name}  {}", kept_from_starting(&job.summary))
        } else if killed.already_ended {
            match killed.killed_pids.len() {
                0 => format!("{name}  had already ended ({ending})"),
                1 => format!(
                    "{name}  had already ended ({ending}); ended 1 process that it left behind"
                ),
                n => format!(
                    "{name}  had already ended ({ending}); ended {n} processes that it left behind"
                ),
            }
        } else {
            let took = words::brief_span(duration::millis(took));
            let off = off.map(|off| format!("; {off}")).unwrap_or_default();
            format!("{name}  stopped ({ending}, {took}){off}")
        };
        ctx.out.line(&line)?;
    }
    if killed.survivors.is_empty() {
        return Ok(Exit::OK);
    }
    let pids: Vec<_> = killed.survivors.iter().map(u32::to_string).collect();
    note(&format!("{name}: still alive: pid {}", pids.join(", ")));
    Ok(Exit::FAILED)
}

/// What is said of a job that had not started: `taken out of its queue; it has not run`.
fn kept_from_starting(job: &Summary) -> String {
    let waiting = job.waiting.as_ref();
    let did = match waiting.and_then(|waiting| waiting.queue.as_ref()) {
        Some(_) => "taken out of its queue",
        None => "kept from starting",
    };
    // It may have waited for another run.
    match job.started_at {
        Some(_) => did.to_owned(),
        None => format!("{did}; it has not run"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::project::Waiting;

    #[test]
    fn a_job_that_waits_is_said_not_to_have_run() {
        let mut job = record("a", Some("qc"), Status::Queued);
        assert_eq!(
            kept_from_starting(&job.summary),
            "kept from starting; it has not run"
        );
        job.summary.waiting = Some(Waiting {
            why: "1 before it in its queue".to_owned(),
            until: None,
            needs: None,
            never: false,
            resumable: false,
            queue: Some("builds".to_owned()),
            place: Some(2),
        });
        assert_eq!(
            kept_from_starting(&job.summary),
            "taken out of its queue; it has not run"
        );
        job.summary.started_at = Some(words::now());
        assert_eq!(kept_from_starting(&job.summary), "taken out of its queue");
    }
}
