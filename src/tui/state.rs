//! The state of a job as displayed: glyph, word and colour, from the most to the least reliable.

use crate::protocol::project::PhaseName;
use crate::protocol::record::Record;
use crate::protocol::report::Activity;
use crate::protocol::run::{EndedBy, EndedByKind};
use crate::protocol::status::Asks;
use crate::protocol::{RestartPolicy, Status};
use crate::term::sanitize::clean;

/// The word for a job that was stopped before it ran.
const STOPPED: &str = "stopped";

/// The word for a job whose time limit has ended it.
const TIMED_OUT: &str = "timed out";

/// The word for a job that has failed without an exit code or a signal that says so.
const FAILED: &str = "failed";

/// The state of a job as the dashboard shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Waiting for what it needs, or for its turn.
    Queued,
    /// What it needs cannot come any more.
    Skipped,
    /// It will start at a time: by its schedule, or because it was started with a delay.
    Scheduled,
    /// Starting, not ready yet.
    Starting,
    /// Running.
    Running,
    /// Running, and its probe holds.
    Ready,
    /// Waiting for a line of input.
    NeedsInput,
    /// Waiting for a password.
    NeedsPassword,
    /// Its program reports that it cannot go on.
    Blocked,
    /// Its program reports that it has nothing to do.
    Idle,
    /// An agent asks a person to type into it.
    Asked,
    /// Being stopped.
    Stopping,
    /// Paused by a signal.
    Paused,
    /// Ended successfully.
    Done,
    /// Failed with this exit code.
    Failed(i32),
    /// Killed by this signal; `failed` if it could not be started, or is a service that ended before it was ready.
    Died(String),
    /// Stopped or killed by somebody, in words.
    Killed(String),
    /// Being restarted; the number of the attempt.
    Retrying(u32),
    /// Ended unobserved.
    Lost,
}

impl State {
    /// One example of each state, for tables and tests.
    pub fn examples() -> Vec<Self> {
        vec![
            Self::Queued,
            Self::Skipped,
            Self::Scheduled,
            Self::Starting,
            Self::Running,
            Self::Ready,
            Self::NeedsInput,
            Self::NeedsPassword,
            Self::Blocked,
            Self::Idle,
            Self::Asked,
            Self::Stopping,
            Self::Paused,
            Self::Done,
            Self::Failed(1),
            Self::Died("SIGSEGV".to_owned()),
            Self::Killed("killed by you".to_owned()),
            Self::Retrying(3),
            Self::Lost,
        ]
    }

    /// The state according to a record.
    pub fn of(record: &Record) -> Self {
        let job = &record.summary;
        let phase = job.project.as_ref().map(|of| of.phase);
        let never = job.waiting.as_ref().is_some_and(|waiting| waiting.never);
        match job.status {
            Status::Queued if never || phase == Some(PhaseName::Skipped) => Self::Skipped,
            Status::Queued | Status::Done if phase == Some(PhaseName::Scheduled) => Self::Scheduled,
            Status::Queued if job.delayed_until().is_some() => Self::Scheduled,
            Status::Queued => Self::Queued,
            Status::Starting => Self::Starting,
            Status::Running if !record.asked.is_empty() => Self::Asked,
            Status::Running if job.reported().is_some() => {
                match job.reported().map(|report| report.state) {
                    Some(Activity::Blocked) => Self::Blocked,
                    Some(Activity::Idle) => Self::Idle,
                    Some(Activity::Working) | None => Self::Running,
                }
            }
            Status::Running => match job.asks() {
                Some(Asks::Line) => Self::NeedsInput,
                Some(Asks::Password) => Self::NeedsPassword,
                None if job.ready == Some(false) => Self::Starting,
                None if phase == Some(PhaseName::Ready) => Self::Ready,
                None => Self::Running,
            },
            Status::Paused => Self::Paused,
            Status::Stopping => Self::Stopping,
            Status::Retrying => {
                // Hosts of earlier versions do not say it.
                let retry = record.retry.unwrap_or(job.restarts.saturating_add(1));
                Self::Retrying(retry)
            }
            Status::Done if job.ended_early().is_some() => Self::Died(FAILED.to_owned()),
            Status::Done => Self::Done,
            Status::Error => match (job.exit_code, &job.signal) {
                (Some(code), _) => Self::Failed(code),
                (None, Some(signal)) => Self::Died(signal.clone()),
                (None, None) => Self::Died(FAILED.to_owned()),
            },
            // It has never run.
            Status::Killed if job.signal.is_none() && phase == Some(PhaseName::Stopped) => {
                Self::Killed(STOPPED.to_owned())
            }
            Status::Killed => Self::Killed(match &record.ended_by {
                Some(by) => match by.kind {
                    EndedByKind::Human => "killed by you".to_owned(),
                    EndedByKind::Agent => {
                        format!("killed by {}", agent(by).as_deref().unwrap_or("agent"))
                    }
                    EndedByKind::Limit => "killed: limit".to_owned(),
                    EndedByKind::Unready => "killed: not ready".to_owned(),
                    EndedByKind::Watch => "killed: watch".to_owned(),
                    EndedByKind::Schedule => "killed: schedule".to_owned(),
                    EndedByKind::Project => "killed: project".to_owned(),
                    _ => "killed".to_owned(),
                },
                None => "killed".to_owned(),
            }),
            Status::TimedOut => Self::Killed(TIMED_OUT.to_owned()),
            Status::Lost => Self::Lost,
        }
    }

    /// One character per state. It differs between states that need different reactions.
    pub fn glyph(&self, ascii: bool) -> &'static str {
        let (unicode, plain) = match self {
            Self::Queued => ("◌", "."),
            Self::Skipped => ("⊘", "/"),
            Self::Scheduled => ("○", "@"),
            Self::Starting => ("◔", "o"),
            Self::Running | Self::Ready => ("●", "*"),
            Self::NeedsInput | Self::NeedsPassword | Self::Blocked | Self::Asked => ("?", "?"),
            Self::Idle => ("○", "_"),
            Self::Stopping => ("◍", "-"),
            Self::Paused => ("‖", "="),
            Self::Done => ("✓", "+"),
            Self::Failed(_) | Self::Died(_) => ("✗", "!"),
            Self::Killed(_) => ("■", "x"),
            Self::Retrying(_) => ("↻", "~"),
            Self::Lost => ("☒", "#"),
        };
        if ascii { plain } else { unicode }
    }

    /// The state in words.
    pub fn word(&self) -> String {
        match self {
            Self::Queued => "queued".to_owned(),
            Self::Skipped => "skipped".to_owned(),
            Self::Scheduled => "scheduled".to_owned(),
            Self::Starting => "starting".to_owned(),
            Self::Running => "running".to_owned(),
            Self::Ready => "ready".to_owned(),
            Self::NeedsInput => "needs input".to_owned(),
            Self::NeedsPassword => "password prompt".to_owned(),
            Self::Blocked => "blocked".to_owned(),
            Self::Idle => "idle".to_owned(),
            Self::Asked => "agent asks you".to_owned(),
            Self::Stopping => "stopping".to_owned(),
            Self::Paused => "paused".to_owned(),
            Self::Done => "done".to_owned(),
            Self::Failed(code) => format!("exit {code}"),
            Self::Died(signal) => signal.clone(),
            Self::Killed(how) => how.clone(),
            Self::Retrying(attempt) => format!("retry {attempt}"),
            Self::Lost => "lost".to_owned(),
        }
    }

    /// Words for a row, longest first; none if the glyph is sufficient.
    pub fn row_words(&self) -> Vec<String> {
        match self {
            // The row has the time of the next run.
            Self::Running | Self::Ready | Self::Done | Self::Scheduled => Vec::new(),
            Self::NeedsInput => vec!["input".to_owned()],
            Self::NeedsPassword => vec!["password".to_owned(), "pw".to_owned()],
            Self::Asked => vec!["asks".to_owned()],
            Self::Failed(code) => vec![format!("exit {code}")],
            Self::Killed(_) if self.timed_out() => vec!["timeout".to_owned()],
            Self::Killed(how) if how == STOPPED => vec![how.clone()],
            Self::Killed(_) => vec!["killed".to_owned()],
            other => vec![other.word()],
        }
    }

    /// Whether it waits for a person to type.
    pub fn needs_input(&self) -> bool {
        matches!(
            self,
            Self::NeedsInput | Self::NeedsPassword | Self::Blocked | Self::Asked
        )
    }

    /// Whether it runs, and waits for nothing.
    pub fn runs(&self) -> bool {
        matches!(self, Self::Running | Self::Ready)
    }

    /// Whether it waits for its first run, or for the next one: it has no process.
    pub fn waits(&self) -> bool {
        matches!(self, Self::Queued | Self::Skipped | Self::Scheduled)
    }

    /// Whether a person should look at it: it waits for one, has failed, keeps ending, or was skipped.
    pub fn calls(&self) -> bool {
        self.needs_input() || self.failed() || self.keeps_ending() || *self == Self::Skipped
    }

    /// Whether its restart policy has run it again so often in a row that it does not work.
    pub fn keeps_ending(&self) -> bool {
        matches!(self, Self::Retrying(attempt) if *attempt >= RestartPolicy::KEEPS_ENDING)
    }

    /// Whether its time limit has ended it.
    pub fn timed_out(&self) -> bool {
        matches!(self, Self::Killed(how) if how == TIMED_OUT)
    }

    /// Whether it failed by itself.
    pub fn failed(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Died(_) | Self::Lost)
    }
}

/// The name of the agent that did something: its scope, if it is known.
pub fn agent(by: &EndedBy) -> Option<String> {
    let scope = by.scope.as_ref().filter(|scope| !scope.is_human());
    let name = scope.map(|scope| clean(scope.as_str()));
    name.filter(|name| !name.is_empty())
}
