//! The record of a session, as returned by `list` and `status`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch_job::{BatchJob, LauncherName, NodeReach};
use super::project::{PhaseName, ProjectRole, Waiting};
use super::report::Reported;
use super::run::{EndedBy, Flaky, Run};
use super::shell_state::ShellState;
use super::status::{Asks, InputState, Mode, Status};
use super::terminal_progress::TerminalProgress;
use super::{JobLimits, Notice, RestartPolicy, Role, Scope, SessionId, Timestamp};

/// The holder of a session's keyboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeldBy {
    /// Kind of holder. Always a person; agents hold nothing.
    pub kind: Role,
    /// The holder's scope.
    pub by: Scope,
    /// When the keyboard is free again if no further key is typed.
    pub until: Timestamp,
}

impl HeldBy {
    /// A person who holds the keyboard until this time.
    pub fn person(until: Timestamp) -> Self {
        Self {
            kind: Role::Human,
            by: Scope::human(),
            until,
        }
    }
}

/// Access of agents of other scopes to a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Share {
    /// No access.
    #[default]
    None,
    /// Read access.
    Read,
    /// Read access and typing.
    Write,
}

impl Share {
    /// Whether no access is given.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// The fields that `list` returns for each session. A field without a value is `null`, never
/// missing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Id of the session.
    pub session_id: SessionId,
    /// The host that it is on; absent: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// For a session of a host: when the record was last true; `null` if it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Timestamp>,
    /// Name given by people.
    pub label: Option<String>,
    /// Group of the session.
    pub group: Option<String>,
    /// Its tags, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Purpose of the session.
    #[serde(default)]
    pub description: Option<String>,
    /// Program, or a shell line if there are no `args`.
    pub command: String,
    /// Arguments; `null` if `command` is a shell line.
    pub args: Option<Vec<String>>,
    /// Working directory.
    pub cwd: String,
    /// PTY or pipes.
    pub mode: Mode,
    /// Rows of its terminal.
    pub rows: u16,
    /// Columns of its terminal.
    pub cols: u16,
    /// Pid of its first process while it runs.
    pub pid: Option<u32>,
    /// Status of the session.
    pub status: Status,
    /// Exit code; `null` while it runs and after a signal.
    pub exit_code: Option<i32>,
    /// The signal that it died of, such as `SIGTERM`.
    pub signal: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its latest run started. Absent while it has not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Duration of the current or last run, in milliseconds.
    pub runtime_ms: u64,
    /// When a client last accessed it.
    pub last_accessed_at: Timestamp,
    /// When it last wrote output.
    pub last_output_at: Option<Timestamp>,
    /// Milliseconds since its last output (or since its start).
    pub idle_ms: Option<u64>,
    /// What its program does with its input.
    pub input_state: InputState,
    /// Whether its probe holds; `null` without a probe.
    pub ready: Option<bool>,
    /// Terminal title.
    pub title: Option<String>,
    /// The progress that its program reports (OSC 9;4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<TerminalProgress>,
    /// What its shell reports about its commands (OSC 133).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<ShellState>,
    /// The directory that its program reports (OSC 7), as `HOST:PATH` if it is on another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present_directory: Option<String>,
    /// Bytes of output since the session began.
    pub output_bytes: u64,
    /// Bytes of output that are no longer kept.
    #[serde(default)]
    pub dropped_bytes: u64,
    /// Lines of clean text since the session began.
    pub output_lines: u64,
    /// Whether the output is larger than 10 KB. Then read it from `outputFile`.
    pub offloaded: bool,
    /// Newest segment of the raw log.
    pub output_file: Option<String>,
    /// CPU usage of its process tree, in percent of one processor.
    pub cpu_percent: Option<f64>,
    /// Memory of its process tree, in bytes.
    pub memory_bytes: Option<u64>,
    /// Number of restarts.
    pub restarts: u32,
    /// The holder of its keyboard.
    pub held_by: Option<HeldBy>,
    /// Access of agents of other scopes.
    pub share: Share,
    /// Whether it is kept after its TTL.
    pub keep: bool,
    /// Of what people are notified, besides what they are told anyway.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<Notice>,
    /// The job of a project that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRole>,
    /// Why it does not run yet, if it is `queued`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// The batch system that runs it; absent: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<LauncherName>,
    /// What the batch system says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<BatchJob>,
    /// What its program last reported of itself, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Reported>,
    /// The shell line that continues it after it was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// Ports on which its process tree listens, with `includePorts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<u16>>,
    /// URLs in its newest output that lead to these ports, with `includePorts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urls: Option<Vec<String>>,
    /// Last ten lines, with `includeOutput`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

impl Summary {
    /// The report of its program, if it runs and nothing newer says something else.
    pub fn reported(&self) -> Option<&Reported> {
        let report = self.report.as_ref();
        report.filter(|report| self.status == Status::Running && report.replaced_by.is_none())
    }

    /// Whether the time that it has to end is given already: by the file of its project, or by the stop that is under way,
    /// which only somebody who names another time may cut short.
    pub fn has_grace(&self) -> bool {
        self.project.is_some() || self.status == Status::Stopping
    }

    /// What its program asks a person for, if it runs. What the program has reported itself is more reliable.
    pub fn asks(&self) -> Option<Asks> {
        let asks = self.input_state.asks(self.mode);
        asks.filter(|_| self.status == Status::Running)
    }

    /// When it starts at the earliest, if it was started with a delay and that time has not come.
    pub fn delayed_until(&self) -> Option<Timestamp> {
        self.waiting.as_ref()?.until
    }

    /// Why its run counts as failed although its command has ended well: a service ended before it was ready.
    pub fn ended_early(&self) -> Option<&str> {
        let of = self.project.as_ref()?;
        let is_early = self.status == Status::Done && of.phase == PhaseName::Failed;
        of.why.as_deref().filter(|_| is_early)
    }

    /// Whether its last run counts as failed: for people, `failed` means this everywhere.
    pub fn has_failed(&self) -> bool {
        self.status.is_failure() || self.ended_early().is_some()
    }
}

/// The fields that `status` returns (and `list`, to people).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The fields that `list` returns too.
    #[serde(flatten)]
    pub summary: Summary,
    /// Scope that owns it.
    pub scope: Scope,
    /// Why it ended as it did, as text.
    pub reason: Option<String>,
    /// Who ended it.
    pub ended_by: Option<EndedBy>,
    /// Number of input bytes that the program has not read.
    pub unread_input_bytes: Option<u64>,
    /// Whether a full-screen program uses the alternate screen.
    pub alt_screen: bool,
    /// Name of the foreground program.
    pub foreground: Option<String>,
    /// Number of processes in its tree.
    pub processes: Option<u32>,
    /// Number of clients that watch its screen.
    pub viewers: u32,
    /// Whether a process still has its terminal (or pipes) open.
    pub tty_open: bool,
    /// Why its output is not being saved; `null` if it is.
    pub log_degraded: Option<String>,
    /// Whether the disk has refused this record as it is now. The keeper has it, and it is written as soon as there is
    /// room; it is lost only if daemon and keeper both end before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsaved: bool,
    /// All kept segments of the raw log.
    #[serde(default)]
    pub output_files: Vec<OutputFile>,
    /// Its restart policy; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartPolicy>,
    /// When the policy starts the next run; absent unless the session waits for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// While its restart policy is about to run it again: how many times in a row that is, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<u32>,
    /// Time limit of the run in milliseconds; absent: none, or it has ended. What is left is the limit without
    /// `runtimeMs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Questions of agents to a person.
    #[serde(default)]
    pub asked: Vec<Asked>,
    /// Further fields, with `detail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// A question of an agent to a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// The question.
    pub message: String,
    /// Scope of the agent.
    pub by: Scope,
    /// When it was asked.
    pub at: Timestamp,
    /// When the question times out.
    pub until: Timestamp,
}

/// One segment of a raw log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OutputFile {
    /// Path of the file.
    pub path: String,
    /// Offset of its first byte.
    pub offset: u64,
}

/// Stands for the value of a variable that looks secret.
pub const MASKED: &str = "***";

/// The fields that `status` adds with `detail`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Detail {
    /// Its processes.
    pub processes: Vec<Process>,
    /// Ports on which its process tree listens.
    pub ports: Vec<u16>,
    /// URLs found in its output.
    pub urls: Vec<String>,
    /// Names of the variables that were set for it.
    pub env_names: Vec<String>,
    /// Their values, `null` for a removed variable; without `fullEnv`, values that look secret are `***`. For people
    /// only, and absent after the loss of the environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Option<String>>,
    /// Its runs, oldest first.
    pub runs: Vec<Run>,
    /// Absent unless its result has changed and changed back with the same definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flaky: Option<Flaky>,
    /// Resource limits; absent: those of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<JobLimits>,
    /// Time limit in milliseconds; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How the node is reached on which a batch system runs it; for people only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<NodeReach>,
}

/// One process of a session's tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Its pid.
    pub pid: u32,
    /// Pid of its parent.
    pub ppid: u32,
    /// Its command line.
    pub command: String,
    /// State letter of `/proc/PID/stat`.
    pub state: String,
}
