//! `up --exit-code-from`: waits for the end of a job, and then brings its project down.

use std::sync::mpsc::sync_channel;
use std::time::Duration;

use super::follow::{Over, View, Wait, conclude, tell_failed, until};
use super::wanted::Wanted;
use crate::cli::beside;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{complain, note};
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{ProjectJob, ProjectState};
use crate::protocol::{Action, Status};
use crate::term::sanitize::clean;

/// How long one request waits for the end of all jobs, in milliseconds.
const WAIT_MS: u64 = 60_000;

/// A job whose end brings its project down.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The jobs that are brought up.
    pub wanted: &'a Wanted,
    /// Its name.
    pub job: &'a str,
    /// Longest time to wait for it. The jobs go on then.
    pub within: Option<Duration>,
}

/// How the wait has ended.
struct Ended {
    /// The state when the job had ended.
    state: ProjectState,
    over: Over,
    /// How many jobs were stopped then.
    stopped: usize,
}

impl End<'_> {
    /// Shows the states of the jobs until the job has ended, and brings the project down.
    pub fn wait(self, ctx: &mut Context, state: ProjectState) -> Result<Exit, Failure> {
        let ended = self.until_ended(ctx, state, View::States)?;
        self.conclude(ctx, &ended)
    }

    /// Waits until the job has ended, and brings the project down. `follow` shows the output of the jobs until all of
    /// them have ended.
    pub fn follow(
        self,
        ctx: &mut Context,
        state: ProjectState,
        follow: impl FnOnce(&mut Context) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let (sender, receiver) = sync_channel(1);
        let (wanted, job, within) = (self.wanted.clone(), self.job.to_owned(), self.within);
        let mut own = ctx.beside();
        beside::start(move || {
            let end = End {
                wanted: &wanted,
                job: &job,
                within,
            };
            // If the jobs go on, nothing else ends the following.
            let exit = match end.until_ended(&mut own, state, View::Nothing) {
                Ok(ended) if ended.over == Over::TimedOut => end.told_late(),
                Ok(ended) => {
                    // Sending fails only if this process is about to end.
                    let _ = sender.send(ended);
                    return;
                }
                Err(failure) => {
                    complain(&failure);
                    failure.exit()
                }
            };
            std::process::exit(i32::from(exit.0));
        })?;
        follow(ctx)?;
        let gone = |_| Failure::with_message(Exit::FAILED, "the end of the job was not told");
        self.conclude(ctx, &receiver.recv().map_err(gone)?)
    }

    /// Waits until the job has ended, and brings the project down.
    fn until_ended(
        self,
        ctx: &mut Context,
        state: ProjectState,
        view: View,
    ) -> Result<Ended, Failure> {
        let is_over = |state: &ProjectState| {
            let phase = self.find(state).map(|job| job.phase);
            use PhaseName::{Done, Failed, Skipped, Stopped};
            // A queue that is paused does not go on by itself.
            let waits = phase == Some(PhaseName::Queued) && state.settled;
            matches!(phase, None | Some(Done | Failed | Skipped | Stopped)) || waits || !state.up
        };
        let within = self.within;
        let (state, over) = until(ctx, self.wanted, state, Wait { view, within }, is_over)?;
        let mut stopped = 0;
        if over != Over::TimedOut && state.up {
            stopped = state.jobs.iter().filter(|job| is_going(job)).count();
            let down = Project {
                wait_ms: Some(WAIT_MS),
                ..self.wanted.request(ProjectOp::Down)
            };
            let _: ProjectState = ctx.daemon()?.call_as(Action::Project(down))?;
        }
        Ok(Ended {
            state,
            over,
            stopped,
        })
    }

    /// Says what has failed and that the project is down. Returns the exit code of the job.
    fn conclude(self, ctx: &mut Context, ended: &Ended) -> Result<Exit, Failure> {
        let Ended { state, over, .. } = ended;
        if *over == Over::TimedOut {
            if ctx.json {
                ctx.out.json(state)?;
            }
            return Ok(self.told_late());
        }
        if !state.up {
            return conclude(ctx, self.wanted, state, *over);
        }
        if ctx.json {
            ctx.out.json(state)?
        } else {
            tell_failed(ctx, self.wanted, state)?;
            ctx.out.line(&is_down(&state.project.name, ended.stopped))?;
        }
        ctx.out.flush()?;
        let Some(job) = self.find(state) else {
            return Ok(Exit::FAILED);
        };
        Ok(match (job.phase, job.exit_code) {
            (PhaseName::Skipped | PhaseName::Queued, _) => Exit::FAILED,
            (PhaseName::Done, None) => Exit::OK,
            (_, code) => Exit::of_job(Status::Error, code, job.signal.as_deref()),
        })
    }

    fn told_late(self) -> Exit {
        let job = clean(self.job);
        note(&format!("{job} has not ended in time; the jobs go on"));
        Exit::TIMED_OUT
    }

    fn find<'s>(&self, state: &'s ProjectState) -> Option<&'s ProjectJob> {
        state.jobs.iter().find(|known| known.job == self.job)
    }
}

/// Whether `down` stops a job.
pub fn is_going(job: &ProjectJob) -> bool {
    use PhaseName::{Queued, Ready, Retrying, Running, Starting, Stopping};
    // The job of the main checkout goes on.
    let goes = matches!(
        job.phase,
        Queued | Starting | Running | Ready | Retrying | Stopping
    );
    goes && !job.shared
}

/// `shop is down (2 jobs stopped)`.
pub fn is_down(project: &str, stopped: usize) -> String {
    let project = clean(project);
    match stopped {
        0 => format!("{project} is down"),
        1 => format!("{project} is down (1 job stopped)"),
        _ => format!("{project} is down ({stopped} jobs stopped)"),
    }
}
