//! Sessions that a batch system runs: what was asked of it, what it has said, and what follows from that.
//!
//! [`Batch`] is the part of a session's record that belongs to the batch system. [`slurm`] knows the commands of Slurm
//! and reads what they print; another batch system would be a module of the same shape: the command that submits a job,
//! the one that asks for the states of all jobs, the ones that ask for one job which the batch system has forgotten, the
//! one that cancels, and the one that reaches a job that runs. [`schedule`] decides when a batch system is asked.

pub mod schedule;
pub mod slurm;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::life::Actor;
use crate::protocol::batch_job::{BatchJob, LauncherSpec, Resources};
use crate::protocol::{SessionId, Status, Timestamp};

/// The mark of our jobs in the lists of a batch system.
const MARK: &str = "bgproc:";

/// What a session and its batch system know of each other. It is kept in the session's record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// The batch system, and how it is used.
    pub launcher: LauncherSpec,
    /// What the session asks of it.
    pub resources: Resources,
    /// The session's directory, which its node sees, too.
    pub dir: String,
    /// What the batch system has said last.
    pub job: BatchJob,
    /// Offset of the log at which the output of the next run begins.
    #[serde(default)]
    pub next_run_at: u64,
    /// How it ended, in the batch system's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ending>,
    /// Whether the batch system has suspended the job.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspended: bool,
    /// Whether the node has begun the run, and the batch system has not told of that yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_ahead: bool,
    /// Whether a signal has stopped its program on the node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped_on_node: bool,
    /// When something was last typed before a prompt, by the clock of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed_on_node: Option<u64>,
    /// Who has asked the batch system to cancel the job. A session that waits has no other place for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled_by: Option<Actor>,
    /// When its time limit asks the batch system again to cancel it, which it has refused, in boot-time milliseconds.
    #[serde(skip)]
    pub cancel_again_at: Option<u64>,
}

/// The state of a job, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobState {
    /// It waits for its turn.
    Waits,
    /// It runs, or is about to.
    Runs,
    /// Its run is over, and is being cleared away. It ends then, or waits for another run.
    Clears,
    /// It was stopped for another job.
    Suspended,
    /// It is over.
    Ended(Ending),
}

/// How a job ended, according to its batch system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By itself, with exit code 0 or another.
    Itself,
    /// Somebody has cancelled it.
    Cancelled,
    /// The batch system has ended it in favour of another job.
    Preempted,
    /// Its time limit was reached.
    TimedOut,
    /// Its memory limit was reached.
    OutOfMemory,
    /// Its node has failed, or could not start it.
    NodeFailed,
}

impl Ending {
    /// The status that follows; `None` if the exit of the program decides.
    pub fn status(self) -> Option<Status> {
        match self {
            Self::Itself => None,
            Self::Cancelled | Self::Preempted => Some(Status::Killed),
            Self::TimedOut => Some(Status::TimedOut),
            Self::OutOfMemory => Some(Status::Error),
            Self::NodeFailed => Some(Status::Lost),
        }
    }

    /// Why it ended, in words; `None` if there is nothing to add to the exit.
    pub fn reason(self, system: &str) -> Option<String> {
        let what = match self {
            Self::Itself => return None,
            Self::Cancelled => "was cancelled",
            Self::Preempted => "was preempted: the batch system gave its place to another job",
            Self::TimedOut => "reached the time limit of its job",
            Self::OutOfMemory => "reached the memory limit of its job",
            Self::NodeFailed => "was lost: its node has failed",
        };
        Some(format!("it {what} ({system})"))
    }
}

/// How the first process of a job ended, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExitStatus {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<i32>,
}

impl ExitStatus {
    /// It has ended by itself.
    pub fn exited(code: i32) -> Self {
        Self {
            code: Some(code),
            signal: None,
        }
    }

    /// It died of a signal.
    pub fn died(signal: i32) -> Self {
        Self {
            code: None,
            signal: Some(signal),
        }
    }
}

/// What a batch system says of one job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Number of the job.
    pub job_id: String,
    /// Its state.
    pub state: JobState,
    /// The batch system's own word for it.
    pub word: String,
    /// Why it waits.
    pub reason: Option<String>,
    /// Where it runs or has run.
    pub node: Option<String>,
    /// When it started, or is expected to.
    pub start: Option<Timestamp>,
    /// Time limit in seconds; `None` if there is none.
    pub time_limit_sec: Option<u64>,
    /// How often the batch system has put it into the queue again.
    pub requeues: u32,
    /// How its first process ended, if it has.
    pub exit: Option<ExitStatus>,
    /// The session that it belongs to.
    pub session: Option<String>,
}

/// What has changed with a batch system's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Nothing that changes the session's status.
    None,
    /// It is in the queue, for the first time or again.
    Queued,
    /// It is in the queue again: another run follows.
    Requeued,
    /// It runs.
    Placed,
    /// It was stopped, or continued.
    Paused(bool),
    /// It is over.
    Ended(Ending),
}

impl Batch {
    /// The mark by which the batch system's lists name a session and its run.
    pub fn mark(session: &SessionId) -> String {
        format!("{MARK}{session}:1")
    }

    /// The session of such a mark.
    pub fn marked(comment: &str) -> Option<&str> {
        let (session, _) = comment.strip_prefix(MARK)?.split_once(':')?;
        Some(session)
    }

    /// Takes the batch system's word. `status` is that of the session so far.
    pub fn take(&mut self, row: &Row, status: Status) -> Change {
        let job = &mut self.job;
        let is_new = job.job_id.is_none();
        job.job_id = Some(row.job_id.clone());
        job.silent_since = None;
        let waits = row.state == JobState::Waits;
        if self.is_ahead && waits && row.requeues < job.run.max(1) {
            // It was said before the node began the run.
            return Change::None;
        }
        self.is_ahead = false;
        job.state = Some(row.word.clone());
        job.time_limit_sec = row.time_limit_sec.or(job.time_limit_sec);
        let known = job.run.max(1);
        let run = match row.state {
            // The next run may be counted already.
            JobState::Clears => known,
            _ => row.requeues + 1,
        };
        let is_again = run > known;
        let is_this_run = row.requeues + 1 == run;
        job.run = run;
        job.estimated_start_at = row.start.filter(|_| waits);
        // While it is over, its last place and the reason of the wait before are no news.
        if !matches!(row.state, JobState::Ended(_)) {
            job.reason.clone_from(&row.reason);
            job.node.clone_from(&row.node);
        } else if row.node.is_some() {
            job.node.clone_from(&row.node);
        }
        self.suspended = row.state == JobState::Suspended;
        match (row.state, status) {
            (JobState::Ended(ending), _) => Change::Ended(ending),
            (JobState::Waits, Status::Queued) if !is_again => {
                if is_new {
                    Change::Queued
                } else {
                    Change::None
                }
            }
            (JobState::Waits, _) => Change::Requeued,
            // It went through the queue between two questions.
            (JobState::Runs | JobState::Suspended, Status::Running | Status::Paused)
                if is_again =>
            {
                Change::Requeued
            }
            // That it is suspended is seen the next time.
            (JobState::Runs | JobState::Suspended, Status::Queued) => Change::Placed,
            // A short one.
            (JobState::Clears, Status::Queued) if is_this_run => Change::Placed,
            // A signal may have stopped it, of which the batch system knows nothing.
            (JobState::Runs, Status::Paused) if !self.stopped_on_node => Change::Paused(false),
            (JobState::Suspended, Status::Running) => Change::Paused(true),
            _ => Change::None,
        }
    }

    /// Takes the word of a node that it has begun the run of which the batch system has told last.
    pub fn begun(&mut self, node: &str) {
        self.is_ahead = true;
        let job = &mut self.job;
        job.node = Some(node.to_owned());
        // What was said of a job that waits.
        (job.state, job.reason, job.estimated_start_at) = (None, None, None);
    }

    /// The name of the batch system, if that has ended the session by itself, and neither bgproc nor the program.
    pub fn ended_it(&self) -> Option<String> {
        let is_own = self.ended.is_some_and(|ending| ending != Ending::Itself);
        let name = self.launcher.kind.name();
        (is_own && self.cancelled_by.is_none()).then(|| name.to_owned())
    }

    /// The directory in which its node keeps the log and the exit: that of the session in the home of the run that owns
    /// it.
    pub fn log_directory(&self, session: &SessionId) -> PathBuf {
        Path::new(&self.dir).join("sessions").join(session.as_str())
    }

    /// The name of the link to its node. It has a blank, so that it is the name of no host.
    pub fn link(&self) -> String {
        let number = self.job.job_id.as_deref().unwrap_or_default();
        format!("{} job {number}", self.launcher.kind.name())
    }

    /// Why the session waits, as people read it. The words are the batch system's, which its manual explains:
    /// `Resources`, `Priority`.
    pub fn why(&self) -> String {
        let system = self.launcher.kind.name();
        match (&self.job.reason, &self.job.job_id) {
            (Some(reason), _) => reason.clone(),
            (None, Some(job)) => format!("its turn in {system} (job {job})"),
            (None, None) => format!("it is being submitted to {system}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
