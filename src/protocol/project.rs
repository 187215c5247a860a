//! The jobs of a project, as its file, the daemon's files and replies name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What a job can need of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It runs.
    Started,
    /// It runs and is ready.
    Ready,
    /// Its last run has ended well.
    Ok,
    /// Its last run has ended.
    Done,
}

impl Level {
    /// The word for it in project files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Ready => "ready",
            Self::Ok => "ok",
            Self::Done => "done",
        }
    }
}

/// What a job needs of another one before it starts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// Name of the other job.
    pub job: String,
    /// The level that it must have.
    pub is: Level,
    /// Whether the job is restarted when the other one is restarted on request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
}

/// A session after which another one starts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct After {
    /// Id of the other session.
    pub session_id: String,
    /// The level that it must have had (`ready` if it has a probe, else `ok`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Level>,
}

/// What a failed job does to its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnFailure {
    /// The next one starts.
    #[default]
    Continue,
    /// The queue stops until a person resumes it.
    Pause,
}

/// What happens at a time of a schedule when the last run has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Overlap {
    /// Nothing.
    #[default]
    Skip,
    /// The next run starts when the last one has ended.
    Queue,
    /// The last run is stopped.
    Restart,
}

/// Why a session does not run yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// What it waits for, in words: `needs db ready`, `2 before it in its queue`.
    pub why: String,
    /// The job that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needed>,
    /// When it starts at the earliest, if that time has not come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Whether that cannot come any more by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub never: bool,
    /// Whether its environment was lost with daemon and keeper: it runs once `resume` brings it another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// Its queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Its place among those that wait in the queue, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
}

impl Waiting {
    /// The job that it waits for, and what that has to be: `db`, `ready`. `None` if it waits for something else.
    pub fn needed(&self) -> Option<(&str, &str)> {
        match &self.needs {
            Some(needed) => Some((&needed.name, needed.level.as_str())),
            // A host with an older version, whose records are in our list, says it in words only.
            None => self.why.strip_prefix("needs ")?.rsplit_once(' '),
        }
    }
}

/// What a session waits for that needs another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Needed {
    /// Name of the other job or session.
    pub name: String,
    /// The level that it must have.
    pub level: Level,
}

/// A project, as replies name it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectName {
    /// Its name, for example `shop`, or `shop@branch` for a linked worktree.
    pub name: String,
    /// The directory that identifies it.
    pub dir: String,
}

/// Where a job of a project stands.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum PhaseName {
    /// It will start when `why` has changed.
    Queued,
    /// It cannot start, because a need cannot come any more; `why` says which.
    Skipped,
    /// It is being started, or it runs and is not ready yet.
    Starting,
    /// It runs, and has no probe.
    Running,
    /// It runs, and its probe holds.
    Ready,
    /// It has ended well.
    Done,
    /// It has ended, and not well.
    Failed,
    /// It has ended and will be run again by its restart policy.
    Retrying,
    /// A schedule will start it.
    Scheduled,
    /// It is being ended.
    Stopping,
    /// It does not run, and nobody has asked for it, or a person has stopped it.
    Stopped,
}

impl PhaseName {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Skipped => "skipped",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Ready => "ready",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Retrying => "retrying",
            Self::Scheduled => "scheduled",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
        }
    }
}

/// The job of a project that a session runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRole {
    /// The project.
    #[serde(flatten)]
    pub project: ProjectName,
    /// Name of the job in the project's file.
    pub job: String,
    /// Where it stands.
    pub phase: PhaseName,
    /// Why it is queued, was skipped or has failed to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// When its schedule starts it next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run: Option<Timestamp>,
    /// Whether a person is asked before it is stopped; agents may not stop it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
    /// Its place in the order of need, from 0: what is needed comes before what needs it.
    #[serde(default)]
    pub place: u32,
    /// What it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// The ports that it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u16>,
    /// Where to open it in a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The files whose changes it reacts to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Watching>,
}

/// The beginning of `why` of a service without a probe that listens: `guessed :3000`.
pub const GUESSED: &str = "guessed ";

/// The end of `why` of a job with a schedule that somebody has stopped.
pub const SCHEDULE_OFF: &str = "its schedule is off";

/// The end of `why` of a session whose need was removed, which does not come by itself any more then.
pub const NEED_REMOVED: &str = "which was removed";

impl ProjectRole {
    /// When its schedule starts it next, while nothing but the schedule starts it.
    pub fn next_start(&self) -> Option<Timestamp> {
        self.next_run.filter(|_| self.phase == PhaseName::Scheduled)
    }

    /// Whether its schedule starts it again, also if it runs now. Not if it has none, or if that is not followed: it is
    /// off, or the project is down.
    pub fn has_next_run(&self) -> bool {
        self.next_run.is_some()
    }

    /// Whether somebody has stopped it, so that its schedule does not start it.
    pub fn schedule_is_off(&self) -> bool {
        let why = self.why.as_deref().unwrap_or_default();
        self.phase == PhaseName::Stopped && why.ends_with(SCHEDULE_OFF)
    }
}

/// The files whose changes a job reacts to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Watching {
    /// Which files, and what a change does: `src, *.rs (restarts)`.
    pub what: String,
    /// Whether changes are noticed.
    pub on: bool,
    /// Why they are not: `suspended: restarts itself by writing build.log`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_read_from_words_only_if_nothing_else_says_it() {
        let waiting = |json: &str| -> Waiting { serde_json::from_str(json).unwrap() };
        let older = waiting(r#"{"why": "needs the db ready"}"#);
        assert_eq!(older.needed(), Some(("the db", "ready")));
        let needs = r#"{"why": "words", "needs": {"name": "db", "level": "ok"}}"#;
        assert_eq!(waiting(needs).needed(), Some(("db", "ok")));
        assert_eq!(waiting(r#"{"why": "next in its queue"}"#).needed(), None);
    }
}
