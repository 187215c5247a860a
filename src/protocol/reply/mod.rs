//! Replies and results.

mod hosts;
pub mod lean;
mod listeners;
mod log;
mod project;
mod queue;
mod screen;
mod typed;
mod wait;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use self::hosts::*;
pub use self::listeners::*;
pub use self::log::*;
pub use self::project::*;
pub use self::queue::*;
pub use self::screen::*;
pub use self::typed::*;
pub use self::wait::*;
use super::record::{OutputFile, Summary};
use super::report::Reported;
use super::shell_state::ShellState;
use super::status::InputState;
use super::terminal_progress::TerminalProgress;
use super::{Error, Event, EventKind, RequestId, SessionId, Status};

/// One reply line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reply<T = Value> {
    /// The request's id.
    pub id: RequestId,
    /// Whether `result` or `error` follows.
    pub ok: bool,
    /// Result of a successful request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<T>,
    /// Error of a failed request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

impl Reply {
    /// The line, including the newline, of the reply to a request that failed.
    pub fn refusal(id: RequestId, error: Error) -> Vec<u8> {
        let reply = Self {
            id,
            ok: false,
            result: None,
            error: Some(error),
        };
        let mut line = serde_json::to_vec(&reply).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// What a bounded text omits at its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// Bytes of text, or of raw output where it was too much to render.
    pub bytes: u64,
    /// Number of lines.
    pub lines: u64,
}

/// How the reason of a session says that its probe does not hold yet.
pub const UNREADY: &str = "not ready yet";

/// Result of `poll`; part of the results of `wait` and other actions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Polled {
    /// Id of the session.
    pub session_id: SessionId,
    /// Status of the session.
    pub status: Status,
    /// Exit code; `null` while it runs and after a signal.
    pub exit_code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<String>,
    /// Clean text.
    pub output: String,
    /// With pipes: standard output only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// With pipes: standard error only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// A read from here returns the same text again.
    pub prev_cursor: String,
    /// A read from here returns what follows.
    pub cursor: String,
    /// What `output` omits at its beginning.
    pub omitted: Left,
    /// What the program does with its input.
    pub input_state: InputState,
    /// The progress that the program reports (OSC 9;4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<TerminalProgress>,
    /// What its shell reports about its commands (OSC 133).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<ShellState>,
    /// Whether the output is larger than 10 KB in all.
    pub offloaded: bool,
    /// Newest segment of the raw log, once offloaded.
    pub output_file: Option<String>,
    /// All kept segments, once offloaded.
    #[serde(default)]
    pub output_files: Vec<OutputFile>,
    /// Bytes of output since the session began.
    pub output_bytes: u64,
    /// The line numbers that `output` leaves out, first and last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_lines: Option<[u64; 2]>,
    /// On a lean connection: the processes that a session has left running after its end, each with
    /// pid and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remaining: Vec<String>,
    /// On a lean connection: that the session was started again since you last looked, that somebody else has ended it
    /// or runs it again, or why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The screen, if it was requested or a full-screen program runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<ScreenText>,
}

/// Result of `start`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// Id of the session.
    pub session_id: SessionId,
    /// Status of the session.
    pub status: Status,
    /// Pid of its first process.
    pub pid: Option<u32>,
    /// Output so far.
    pub output: String,
    /// A read from here returns what follows.
    pub cursor: String,
    /// What `output` omits at its beginning.
    pub omitted: Left,
    /// The line numbers that `output` leaves out, first and last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_lines: Option<[u64; 2]>,
    /// What the program does with its input.
    #[serde(default)]
    pub input_state: InputState,
    /// On a lean connection: the processes that a session has left running after its end, each with
    /// pid and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remaining: Vec<String>,
    /// On a lean connection: that the session was started again since you last looked, that somebody else has ended it
    /// or runs it again, or why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// With `warnings`: how many bytes of `input` the program's terminal or pipe has taken, if that is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_written: Option<u64>,
    /// What is to be known of `input` (the program has not read all of it, or lines are too long for its terminal) and
    /// of the label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The screen, if it was requested or a full-screen program runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<ScreenText>,
    /// With `until` or `fail`: the outcome, as of `wait`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The condition that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
    /// Whether its readiness probe holds, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<bool>,
    /// Time limit that will end it, in milliseconds from its start, if it runs and has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether `key` found an existing session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused: Option<bool>,
    /// Exit code, if it has ended; `null` after a signal.
    #[schemars(with = "Option<i32>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<Value>,
    /// The signal that it died of, if it has ended; `null` if none.
    #[schemars(with = "Option<String>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<Value>,
    /// How long it ran, in milliseconds, if it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_ms: Option<u64>,
}

/// Result of `list`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Listed<R = Summary> {
    /// Oldest first.
    pub sessions: Vec<R>,
    /// Number of sessions by status, with the filter but without the limit.
    pub counts: BTreeMap<String, u64>,
    /// The hosts that were asked, and how they are connected. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostStatus>,
}

/// A session in a `list` on a lean connection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    /// Id of the session.
    pub session_id: SessionId,
    /// Its name for people.
    pub label: Option<String>,
    /// Its group.
    pub group: Option<String>,
    /// Its tags, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The project that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Its status.
    pub status: Status,
    /// What it waits for, if it has not started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<String>,
    /// Exit code.
    pub exit_code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<String>,
    /// How long it has run, in milliseconds.
    pub runtime_ms: u64,
    /// Number of restarts.
    #[serde(default)]
    pub restarts: u32,
    /// What input it waits for, if it waits.
    pub input_state: Option<InputState>,
    /// Whether its readiness probe holds, if it has one.
    pub ready: Option<bool>,
    /// The progress that its program reports (OSC 9;4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<TerminalProgress>,
    /// What its shell reports about its commands (OSC 133).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<ShellState>,
    /// What its program reports of itself, while nothing newer says something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Reported>,
    /// The beginning of its command with arguments.
    pub command: String,
    /// With `includePorts`: the ports that it listens on.
    pub ports: Option<Vec<u16>>,
    /// With `includePorts`: the URLs with these ports in its output.
    pub urls: Option<Vec<String>>,
    /// With `includeOutput`: its last lines.
    pub output: Option<String>,
}

/// Result of `export`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// The file that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The data, if no file was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Encoding of `data`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<super::params::Encoding>,
    /// Size in bytes.
    pub bytes: u64,
}

/// Result of `kill` on one session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Killed {
    /// Id of the session.
    pub session_id: SessionId,
    /// Status before.
    pub previous_status: Status,
    /// Status after.
    pub status: Status,
    /// Exit code; `null` after a signal.
    pub exit_code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<String>,
    /// Pids of the processes that were ended.
    pub killed_pids: Vec<u32>,
    /// Pids of the processes that could not be ended.
    pub survivors: Vec<u32>,
    /// The end of its output.
    pub output: String,
    /// With pipes: the end of its standard output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// With pipes: the end of its standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// Whether it had already ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub already_ended: bool,
    /// Whether it was removed afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

/// Result of `kill` on several sessions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KilledAll {
    /// The result of each session.
    pub results: Vec<Killed>,
}

/// Result of `stats`, and output of `bgproc daemon status --json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsReply {
    /// Pid of the daemon.
    pub daemon_pid: u32,
    /// Pid of the keeper.
    pub keeper_pid: u32,
    /// Program version of the daemon.
    pub version: String,
    /// Program version of the keeper; empty if an older daemon does not report it.
    #[serde(default)]
    pub keeper_version: String,
    /// The daemon's program file. The suffix ` (deleted)` means that the file was deleted or
    /// replaced since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Why the keeper was not upgraded by the last upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade_error: Option<String>,
    /// Protocol version.
    pub protocol: u32,
    /// Directory of the sockets and the state.
    pub home: String,
    /// How long the daemon has been running, in milliseconds.
    pub uptime_ms: u64,
    /// Number of sessions by status.
    pub counts: BTreeMap<String, u64>,
    /// Number of open connections.
    pub connections: u32,
    /// Resident memory of daemon and keeper, in bytes.
    pub memory_bytes: Option<u64>,
    /// Size of all logs on disk, in bytes.
    pub log_bytes: u64,
    /// Limits in force.
    pub limits: super::hello::Limits,
    /// How each of `start`'s resource limits is enforced on this machine, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub enforcement: BTreeMap<String, String>,
}

/// Result of `events`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Happened {
    /// Oldest first. A client leaves out those of kinds that only a later version knows.
    #[serde(deserialize_with = "known_events")]
    pub events: Vec<Event>,
    /// The value for the next `afterSeq`, even if no event was returned.
    pub next_seq: u64,
}

fn known_events<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<Event>, D::Error> {
    let all = Vec::<Value>::deserialize(list)?;
    let is_known = |event: &Value| EventKind::deserialize(&event["event"]).is_ok();
    let known = all.into_iter().filter(is_known);
    known
        .map(|event| Event::deserialize(event).map_err(D::Error::custom))
        .collect()
}

/// Result of `resize`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Resized {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
}

/// Result of `signal`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signalled {
    /// Pids of the processes that received it.
    pub delivered_to: Vec<u32>,
}

/// Result of `clear`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cleared {
    /// Bytes of output that were dropped.
    pub cleared_bytes: u64,
}

/// Result of `remove`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// Id of the session.
    pub session_id: SessionId,
    /// True: the session is removed.
    pub removed: bool,
}

/// Result of `subscribe`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscribed {
    /// The id for `unsubscribe`.
    pub subscription_id: String,
    /// The value for the next `fromSeq`.
    pub next_seq: u64,
    /// Events up to this number are not kept any more; 0 if all are. Older daemons omit it.
    #[serde(default)]
    pub forgotten_seq: u64,
    /// The sessions that `sessionIds` named; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_ids: Option<Vec<SessionId>>,
}

/// Result of `cancel`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// Whether there was such a request.
    pub cancelled: bool,
}

/// Result of an action that returns no data.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Done {}

/// Result of `shutdown`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShutDown {
    /// Number of sessions that keep running.
    pub kept: u64,
    /// Number of sessions that were ended.
    pub killed: u64,
    /// Pids of the processes that could not be ended.
    pub survivors: Vec<u32>,
}
