//! Result of `project`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::project::{Need, PhaseName, ProjectName, Watching};
use crate::protocol::status::InputState;
use crate::protocol::{SessionId, Timestamp};

/// A project and its jobs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectState {
    /// The project.
    #[serde(flatten)]
    pub project: ProjectName,
    /// Whether it is up.
    pub up: bool,
    /// The job whose end has brought it down (`allOrNone`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// The files that define it.
    pub files: Vec<String>,
    /// Number of the last change. A `status` with `after` waits for the next one.
    pub seq: u64,
    /// Whether every wanted job has settled: nothing changes without a request, an end or a schedule.
    pub settled: bool,
    /// Whether a wanted job has failed or was skipped.
    pub failed: bool,
    /// Its jobs, in the order of the file.
    pub jobs: Vec<ProjectJob>,
    /// What `up`, `reload` and `plan` change, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<PlannedChange>,
    /// What is odd about the files, and survivors of `down`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// With `env`: the environment of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<JobEnvironment>,
}

/// A job of a project.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectJob {
    /// Its name.
    pub job: String,
    /// The session that runs it; absent if it was never asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Where it stands.
    pub phase: PhaseName,
    /// Why it is queued, was skipped, has failed or was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether it is the job of the main checkout, which this worktree uses (`per = "repo"`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Whether it is part of what was brought up.
    pub wanted: bool,
    /// Whether a person is asked before it is stopped; agents may not stop it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
    /// What it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// Pid of its first process while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Exit code of its last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that its last run died of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Whether it, or a job that it waits for, is not ready in the time that its probe has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// The ports that it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u16>,
    /// Where to open it in a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What its program does with its input, if it waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<InputState>,
    /// The question, if it waits for a person: the last line of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// When its schedule starts it next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run: Option<Timestamp>,
    /// The files whose changes it reacts to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Watching>,
    /// The last ten lines of its output, if it has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// One line of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedChange {
    /// What becomes of the job.
    pub change: ChangeKind,
    /// Name of the job.
    pub job: String,
    /// What differs, the former name, or how the job is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// With `gone`: what becomes of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    /// Whether the job has ended, so that its restart interrupts nothing. Such a restart is made without being asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

/// What becomes of a job that is not in the file any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It goes on. With `prune` it is stopped.
    GoesOn,
    /// It is stopped, because of `prune`.
    Stopped,
    /// Nothing of it runs, and its schedule does not start it any more.
    ScheduleEnds,
}

/// What becomes of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// It is started.
    Start,
    /// Its definition has changed so that it must be restarted.
    Restart,
    /// Its definition has changed, which is applied while it runs.
    Apply,
    /// It has another name.
    Rename,
    /// Nothing.
    Keep,
    /// It is not in the file any more.
    Gone,
}

impl ChangeKind {
    /// The sign for it in plans.
    pub fn sign(self) -> char {
        match self {
            Self::Start => '+',
            Self::Restart => '~',
            Self::Apply => '*',
            Self::Rename => '>',
            Self::Keep => '=',
            Self::Gone => '?',
        }
    }
}

/// Result of `project` with the op `restore`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Restored {
    /// The projects that were up and whose environment was lost.
    pub projects: Vec<RestoredProject>,
}

/// A project that was up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestoredProject {
    /// The project.
    pub project: ProjectName,
    /// Its jobs that start or run, by name.
    pub jobs: Vec<String>,
    /// Its jobs that are to run and are not started now, by name, and why: `skipped: needs migrate ok`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_started: BTreeMap<String, String>,
    /// Why it was not restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The environment of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobEnvironment {
    /// Its working directory.
    pub cwd: String,
    /// Its variables, sorted by name.
    pub variables: Vec<Variable>,
}

/// A variable of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Where the value comes from.
    pub from: String,
    /// Whether it looks secret, so that it is shown masked.
    pub secret: bool,
}
