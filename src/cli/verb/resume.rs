//! `resume`: continues paused jobs, and starts jobs that were lost in a reboot. Jobs that waited for their turn then wait
//! on, with the environment of this command.
//!
//! What continues a lost job is the command that was given for that (`run --resume`, `report --resume`), or the
//! same command if its restart policy allows. Its environment was never written to a file, so the job gets the one
//! of the caller.

use clap::Args;

use super::state::{refused, show, tree_signal};
use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::newest::newest;
use crate::cli::output::{advised, note, words};
use crate::protocol::params::{Project, ProjectOp, Restart};
use crate::protocol::policy::RestartWhen;
use crate::protocol::run::{EndedBy, EndedByKind};
use crate::protocol::shell::quote;
use crate::protocol::{Action, Record, Status};

#[derive(Args, Debug)]
pub struct Resume {
    /// Paused jobs, or jobs that were lost; without any, all jobs that were lost and can be continued
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,
}

impl Resume {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let (jobs, mut exit) = match self.jobs.as_slice() {
            [] => {
                let (waiting, others) = ctx.jobs()?.into_iter().partition(waits);
                let mut jobs: Vec<Record> = waiting;
                jobs.extend(lost(others));
                (jobs, Exit::OK)
            }
            targets => {
                let found = ctx.many(targets, Among::Resumable)?;
                (found.jobs, found.exit)
            }
        };
        if jobs.is_empty() && self.jobs.is_empty() {
            note("no job was lost");
            return Ok(exit);
        }
        // Lost jobs get the environment of this command.
        ctx.daemon_with_surroundings()?;
        for job in &jobs {
            let outcome = match job.summary.status {
                Status::Lost if with(job).is_some() || !waits(job) => start(ctx, job),
                Status::Queued => wait_on(ctx, job),
                _ if waits(job) => wait_on(ctx, job),
                _ => proceed(ctx, job),
            };
            match outcome {
                Ok(true) => {}
                // Without targets, jobs that cannot be continued are only listed.
                Ok(false) if self.jobs.is_empty() => {}
                Ok(false) => exit = exit.or(Exit::STATE),
                Err(failure) => exit = exit.or(ctx.complain(failure)),
            }
        }
        Ok(exit)
    }
}

/// Whether a job waits for its turn or for its schedule, and has lost its environment.
fn waits(job: &Record) -> bool {
    let waiting = job.summary.waiting.as_ref();
    waiting.is_some_and(|waiting| waiting.resumable)
}

/// The jobs that were lost, without those whose name another job has meanwhile.
fn lost(jobs: Vec<Record>) -> Vec<Record> {
    newest(jobs, |job| job.summary.status == Status::Lost)
}

/// Starts the jobs of people on this machine again that were lost and are to run always: after a reboot. Not those of
/// projects, and not those that somebody was stopping.
pub(super) fn always(ctx: &mut Context) -> Result<Exit, Failure> {
    let mut exit = Exit::OK;
    for job in lost(ctx.jobs()?).iter().filter(|job| runs_always(job)) {
        match start_again(ctx, job) {
            Ok(()) => note(&format!("{} is started again", words::name(&job.summary))),
            Err(failure) => exit = exit.or(ctx.complain(failure)),
        }
    }
    Ok(exit)
}

fn runs_always(job: &Record) -> bool {
    let summary = &job.summary;
    let is_policy = job
        .restart
        .is_some_and(|policy| policy.policy == RestartWhen::Always);
    let is_ours = job.scope.is_human() && summary.project.is_none();
    // One that waited for its next run tells how the last one ended: by a limit, for example.
    let by_somebody = |by: &EndedBy| matches!(by.kind, EndedByKind::Human | EndedByKind::Agent);
    let was_stopped = job.ended_by.as_ref().is_some_and(by_somebody);
    is_policy && is_ours && summary.session_id.host().is_none() && !was_stopped
}

/// What continues a job that was lost, in words. `None` if nothing does.
pub(super) fn with(job: &Record) -> Option<String> {
    let allows = |policy: &crate::protocol::RestartPolicy| policy.policy != RestartWhen::Never;
    match &job.summary.resume {
        Some(line) => Some(crate::term::sanitize::clean(line)),
        None => job
            .restart
            .as_ref()
            .filter(|policy| allows(policy))
            .map(|_| words::command(&job.summary)),
    }
}

/// Starts a job that was lost. Returns false if nothing says how.
fn start(ctx: &mut Context, job: &Record) -> Result<bool, Failure> {
    let name = words::name(&job.summary);
    let Some(with) = with(job) else {
        let target = ctx.target_of(job);
        let start = advised(&format!("bgproc start {}", quote(&target)));
        note(&format!(
            "{name} is not started: it has no command that continues it (--resume) and no restart policy; \
             {start} runs it again"
        ));
        return Ok(false);
    };
    start_again(ctx, job)?;
    if !ctx.json {
        note(&format!("{name} is started with: {with}"));
    }
    show(ctx, job.summary.session_id.to_string())?;
    Ok(true)
}

fn start_again(ctx: &mut Context, job: &Record) -> Result<(), Failure> {
    let restart = Action::Restart(Restart {
        session_id: job.summary.session_id.to_string(),
        unique_label: Some(true),
        resume: Some(true),
        ..Restart::default()
    });
    ctx.daemon()?.call(restart).map_err(refused)?;
    Ok(())
}

/// Gives a job that waits the environment of this command; one of a project gets it with all others of the project.
fn wait_on(ctx: &mut Context, job: &Record) -> Result<bool, Failure> {
    let name = words::name(&job.summary);
    if !waits(job) {
        let target = ctx.target_of(job);
        note(&advised(&format!(
            "{name} waits for its turn; bgproc start {} starts it now",
            quote(&target)
        )));
        return Ok(false);
    }
    let action = match &job.summary.project {
        Some(of) => Action::Project(Project {
            op: Some(ProjectOp::Status),
            dir: Some(of.project.dir.clone()),
            ..Project::default()
        }),
        None => Action::Restart(Restart {
            session_id: job.summary.session_id.to_string(),
            resume: Some(true),
            ..Restart::default()
        }),
    };
    ctx.daemon()?.call(action).map_err(refused)?;
    show(ctx, job.summary.session_id.to_string())?;
    Ok(true)
}

/// Lets a job continue that is paused.
fn proceed(ctx: &mut Context, job: &Record) -> Result<bool, Failure> {
    let id = job.summary.session_id.to_string();
    ctx.daemon()?.call(tree_signal(id.clone(), "CONT"))?;
    show(ctx, id)?;
    Ok(true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::{RestartPolicy, Scope, Timestamp};

    #[test]
    fn a_resume_command_goes_before_the_restart_policy() {
        let mut job = record("a", Some("claude"), Status::Lost);
        assert_eq!(with(&job), None);
        job.restart = Some(RestartPolicy {
            policy: RestartWhen::Never,
            ..RestartPolicy::default()
        });
        assert_eq!(with(&job), None, "it is never restarted");
        job.restart = Some(RestartPolicy {
            policy: RestartWhen::Always,
            ..RestartPolicy::default()
        });
        assert_eq!(with(&job).as_deref(), Some("x"));
        job.summary.resume = Some("claude --resume 4f".to_owned());
        assert_eq!(with(&job).as_deref(), Some("claude --resume 4f"));
    }

    #[test]
    fn after_a_reboot_only_what_is_to_run_always_is_started() {
        let always = || {
            let mut job = record("a", Some("web"), Status::Lost);
            job.restart = Some(RestartPolicy {
                policy: RestartWhen::Always,
                ..RestartPolicy::default()
            });
            job
        };
        assert!(runs_always(&always()));
        let mut job = always();
        job.scope = Scope::named("builder").unwrap();
        assert!(!runs_always(&job), "an agent's");
        let mut job = always();
        job.ended_by = Some(EndedBy::of(EndedByKind::Human));
        assert!(!runs_always(&job), "it was being stopped");
        let mut job = always();
        job.ended_by = Some(EndedBy::of(EndedByKind::Timeout));
        assert!(
            runs_always(&job),
            "it waited for the run after its time limit"
        );
        job = record("a", Some("web"), Status::Lost);
        assert!(!runs_always(&job), "without a policy");
    }

    #[test]
    fn of_jobs_with_one_name_the_newest_is_meant() {
        let mut old = record("a", Some("web"), Status::Lost);
        old.summary.created_at = Timestamp(1);
        let mut new = record("b", Some("web"), Status::Lost);
        new.summary.created_at = Timestamp(2);
        let other = record("c", None, Status::Done);
        let names = |jobs: Vec<Record>| -> Vec<String> {
            let ids = jobs.iter().map(|job| job.summary.session_id.to_string());
            ids.map(|id| id[..1].to_owned()).collect()
        };
        let found = lost(vec![old.clone(), new.clone(), other]);
        assert_eq!(names(found), ["b"]);
        new.summary.status = Status::Running;
        assert!(lost(vec![old, new]).is_empty(), "it runs again");
    }
}
