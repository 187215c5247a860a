//! One session as `list` and `status` show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JobLimits, RestartPolicy, Role, Scope, SessionId, Timestamp};

/// How a session's program is connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// A pseudo-terminal: stdout and stderr are one.
    #[default]
    Pty,
    /// Three pipes: stdout and stderr are told apart.
    Pipe,
}

/// Where a session is in its life.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits for what it needs.
    Queued,
    /// Asked for, not running yet.
    Starting,
    /// Its program runs.
    Running,
    /// Stopped by a signal.
    Paused,
    /// Asked to end; grace is running.
    Stopping,
    /// Its restart policy waits.
    Retrying,
    /// Ended with exit code 0.
    Done,
    /// Ended with another exit code, or by a signal that nobody here asked for.
    Error,
    /// Ended by `kill`, or by the signal that bgproc sent last.
    Killed,
    /// Ended by its time limit.
    TimedOut,
    /// Ended while nothing was there to see how.
    Lost,
}

impl Status {
    /// Every status, in the order of a life.
    pub const ALL: [Self; 11] = [
        Self::Queued,
        Self::Starting,
        Self::Running,
        Self::Paused,
        Self::Stopping,
        Self::Retrying,
        Self::Done,
        Self::Error,
        Self::Killed,
        Self::TimedOut,
        Self::Lost,
    ];

    /// Whether nothing more will happen by itself.
    pub fn is_finished(self) -> bool {
        matches!(
            self,
            Self::Done | Self::Error | Self::Killed | Self::TimedOut | Self::Lost
        )
    }

    /// Whether a process of it is there.
    pub fn is_alive(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::Running | Self::Paused | Self::Stopping
        )
    }

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Retrying => "retrying",
            Self::Done => "done",
            Self::Error => "error",
            Self::Killed => "killed",
            Self::TimedOut => "timed_out",
            Self::Lost => "lost",
        }
    }
}

/// What the program does with its input, as the kernel tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum InputState {
    /// It does not read.
    None,
    /// It reads a line.
    Line,
    /// It reads a line with echo off.
    Password,
    /// A line editor or REPL reads on the main screen.
    Raw,
    /// A full-screen program reads.
    Tui,
    /// Its input is closed.
    Closed,
    /// It could not be told.
    #[default]
    Unknown,
}

/// Who ended a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EndedByKind {
    /// An agent asked.
    Agent,
    /// A person asked.
    Human,
    /// Its time limit.
    Timeout,
    /// Another limit.
    Limit,
    /// Its own program.
    Itself,
}

/// Who ended a session, and from which scope.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndedBy {
    /// What kind of actor.
    pub kind: EndedByKind,
    /// Its scope, if it has one.
    pub scope: Option<Scope>,
}

/// Who holds a session's keyboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeldBy {
    /// A person; agents hold nothing.
    pub kind: Role,
    /// Its scope.
    pub by: Scope,
    /// Until when, if no further key comes.
    pub until: Timestamp,
}

impl HeldBy {
    /// A person, until then.
    pub fn person(until: Timestamp) -> Self {
        Self {
            kind: Role::Human,
            by: Scope::human(),
            until,
        }
    }
}

/// Whether agents of other scopes may see a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Share {
    /// No.
    #[default]
    None,
    /// They may look.
    Read,
    /// They may type, too.
    Write,
}

impl Share {
    /// Whether nobody else may see it.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// What `list` returns for each session. A field without a value is `null`, never missing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Its name.
    pub session_id: SessionId,
    /// The name people gave it.
    pub label: Option<String>,
    /// The group it belongs to.
    pub group: Option<String>,
    /// Program, or shell line if there are no `args`.
    pub command: String,
    /// Arguments; `null`: `command` is a shell line.
    pub args: Option<Vec<String>>,
    /// Working directory.
    pub cwd: String,
    /// PTY or pipes.
    pub mode: Mode,
    /// Rows of its terminal.
    pub rows: u16,
    /// Columns of its terminal.
    pub cols: u16,
    /// Pid of its first process while there is one.
    pub pid: Option<u32>,
    /// Where it is in its life.
    pub status: Status,
    /// Exit code; `null` while it runs and after a signal.
    pub exit_code: Option<i32>,
    /// The signal it died of, `SIGTERM`.
    pub signal: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How long it ran, or has been running, in milliseconds.
    pub runtime_ms: u64,
    /// When a client last asked for it.
    pub last_accessed_at: Timestamp,
    /// When it last wrote.
    pub last_output_at: Option<Timestamp>,
    /// Milliseconds since it last wrote (or started).
    pub idle_ms: Option<u64>,
    /// What it does with its input.
    pub input_state: InputState,
    /// Whether its probe holds; `null` without a probe.
    pub ready: Option<bool>,
    /// Terminal title.
    pub title: Option<String>,
    /// Bytes written since it began.
    pub output_bytes: u64,
    /// Lines of clean text since it began.
    pub output_lines: u64,
    /// Whether there is more than 10 KB, so that `outputFile` is worth reading.
    pub offloaded: bool,
    /// Newest segment of the raw log.
    pub output_file: Option<String>,
    /// Processor use of its tree.
    pub cpu_percent: Option<f64>,
    /// Memory of its tree.
    pub memory_bytes: Option<u64>,
    /// How often it was restarted.
    pub restarts: u32,
    /// Who holds its keyboard.
    pub held_by: Option<HeldBy>,
    /// Whether agents of other scopes may see it.
    pub share: Share,
    /// Whether it is kept after its TTL.
    pub keep: bool,
    /// Ports its tree listens on, with `includePorts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<u16>>,
    /// URLs in its newest output that lead there, with `includePorts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urls: Option<Vec<String>>,
    /// Last ten lines, with `includeOutput`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// What `status` returns (and `list`, to people).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// What `list` returns too.
    #[serde(flatten)]
    pub summary: Summary,
    /// Whose it is.
    pub scope: Scope,
    /// Why it ended as it did, in words.
    pub reason: Option<String>,
    /// Who ended it.
    pub ended_by: Option<EndedBy>,
    /// Input that the program has not read.
    pub unread_input_bytes: Option<u64>,
    /// Whether a full-screen program paints.
    pub alt_screen: bool,
    /// Name of the program in the foreground.
    pub foreground: Option<String>,
    /// Bytes of output no longer kept.
    pub dropped_bytes: u64,
    /// Processes of its tree.
    pub processes: Option<u32>,
    /// Clients that watch its screen.
    pub viewers: u32,
    /// Whether a process still has its terminal (or pipes) open.
    pub tty_open: bool,
    /// Why output is not being saved; `null`: it is.
    pub log_degraded: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// All kept segments of the raw log.
    #[serde(default)]
    pub output_files: Vec<OutputFile>,
    /// Its restart policy; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartPolicy>,
    /// What agents ask a person to do in it.
    #[serde(default)]
    pub asked: Vec<Asked>,
    /// More, with `detail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// A question of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// What is asked.
    pub message: String,
    /// The scope that asks.
    pub by: Scope,
    /// Since when.
    pub at: Timestamp,
    /// Until when it waits for an answer.
    pub until: Timestamp,
}

/// One segment of a raw log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OutputFile {
    /// Where it is.
    pub path: String,
    /// Offset of its first byte.
    pub offset: u64,
}

/// What `status` adds with `detail`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Detail {
    /// Its processes.
    pub processes: Vec<Process>,
    /// Ports its tree listens on.
    pub ports: Vec<u16>,
    /// URLs seen for it.
    pub urls: Vec<String>,
    /// Names of the variables set for it.
    pub env_names: Vec<String>,
    /// Its runs, oldest first.
    pub runs: Vec<Run>,
    /// What it may take; absent: what the system lets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<JobLimits>,
    /// After how long it is ended, in milliseconds; absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// One process of a session's tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Its pid.
    pub pid: u32,
    /// Its parent.
    pub ppid: u32,
    /// Its command line.
    pub command: String,
    /// State letter of `/proc/PID/stat`.
    pub state: String,
}

/// One run of a session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// From 1.
    pub run: u32,
    /// Offset of its first byte.
    pub offset: u64,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How.
    pub exit_code: Option<i32>,
    /// Or by which signal.
    pub signal: Option<String>,
}
