//! What comes back.

mod log;
mod screen;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::log::*;
pub use self::screen::*;
use super::record::{HeldBy, InputState, OutputFile, Summary};
use super::{Error, Event, RequestId, SessionId, Status};

/// One reply line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reply<T = Value> {
    /// The request's id.
    pub id: RequestId,
    /// Whether `result` or `error` follows.
    pub ok: bool,
    /// What was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<T>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

/// What a bounded text left out in front.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// Bytes of text (of raw output where it was too much to render).
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
}

/// `poll`, and the part of `wait` and others that shows news.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Polled {
    /// Which session.
    pub session_id: SessionId,
    /// Where it is in its life.
    pub status: Status,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// Or the signal it died of.
    pub signal: Option<String>,
    /// Clean text.
    pub output: String,
    /// With pipes: standard output alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// With pipes: standard error alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// Reading from here gives the same text again.
    pub prev_cursor: String,
    /// Reading from here gives what comes next.
    pub cursor: String,
    /// What `output` left out in front.
    pub omitted: Left,
    /// What the program does with its input.
    pub input_state: InputState,
    /// Whether there is more than 10 KB in all.
    pub offloaded: bool,
    /// Newest segment of the raw log, once offloaded.
    pub output_file: Option<String>,
    /// All kept segments, once offloaded.
    #[serde(default)]
    pub output_files: Vec<OutputFile>,
    /// Bytes written since it began.
    pub output_bytes: u64,
}

/// `start`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// Its name from now on.
    pub session_id: SessionId,
    /// Where it is in its life.
    pub status: Status,
    /// Pid of its first process.
    pub pid: Option<u32>,
    /// Output so far.
    pub output: String,
    /// Reading from here gives what comes next.
    pub cursor: String,
    /// What `output` left out in front.
    pub omitted: Left,
    /// What it does with its input.
    #[serde(default)]
    pub input_state: InputState,
    /// Whether `key` found a session that was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused: Option<bool>,
    /// How it ended, if it has; `null` after a signal.
    #[schemars(with = "Option<i32>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<Value>,
    /// The signal it died of, if it has ended; `null` if none.
    #[schemars(with = "Option<String>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<Value>,
    /// How long it ran, if it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_ms: Option<u64>,
}

/// `list`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Listed<R = Summary> {
    /// Oldest first.
    pub sessions: Vec<R>,
    /// How many there are of each status, the filter applied, the limit not.
    pub counts: BTreeMap<String, u64>,
}

/// How a `wait` came out; each is `ok:true`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// A listed condition holds.
    Matched,
    /// A `fail` condition holds.
    Failed,
    /// The session ended first.
    Exited,
    /// Time ran out.
    Timeout,
    /// The session is lost.
    Lost,
}

/// What matched.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Matched {
    /// Place in `until` (or `fail`).
    pub index: usize,
    /// Kind of condition.
    pub kind: String,
    /// For patterns: number of the line, from 1 for ever; with `view` `screen` of the
    /// row, from 1 at the top.
    pub line: Option<u64>,
    /// For patterns: the whole line (or row) that matched.
    pub text: Option<String>,
    /// For patterns: captured groups, by number from 1.
    #[serde(default)]
    pub groups: Vec<Option<String>>,
    /// For several sessions: which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// `wait` on one session, and the wait part of `write` and `send_keys`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waited {
    /// How it came out.
    pub outcome: Outcome,
    /// What matched, or failed.
    pub matched: Option<Matched>,
    /// Whether it held when the wait began.
    pub matched_at_entry: bool,
    /// How long it took.
    pub elapsed_ms: u64,
    /// News since the wait's cursor.
    #[serde(flatten)]
    pub polled: Polled,
}

/// `wait` on several sessions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitedAll {
    /// How it came out as a whole.
    pub outcome: Outcome,
    /// The first that matched, with its session.
    pub matched: Option<Matched>,
    /// Whether it held when the wait began.
    pub matched_at_entry: bool,
    /// How long it took.
    pub elapsed_ms: u64,
    /// Each session.
    pub results: Vec<Waited>,
}

/// `write` and `send_keys`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// Bytes that the kernel took.
    pub bytes_written: u64,
    /// Whether the program has read them; `null` if unknown.
    pub consumed: Option<bool>,
    /// Input that the program has not read; `null` if unknown.
    pub unread_input_bytes: Option<u64>,
    /// What to know about it.
    pub warnings: Vec<Warning>,
    /// The wait, if one was asked for.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Waited>,
}

/// What to know about a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// A cooked terminal cuts a line at 4,095 bytes without a word.
    #[serde(rename = "line_over_4095")]
    LineOver4095,
    /// The program does not read at the moment; perhaps not all was taken.
    NotReading,
    /// An end of input does nothing in this mode.
    NoEffect,
}

/// `export`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// The file that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Without a file: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// How `data` is written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<super::params::Encoding>,
    /// How much it is.
    pub bytes: u64,
}

/// How a question came out; each is `ok:true`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AskOutcome {
    /// A person has typed into the session.
    Answered,
    /// A person will not.
    Declined,
    /// Nobody has in time.
    Timeout,
}

/// `decline`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Declined {
    /// Questions that were declined.
    pub declined: usize,
}

/// `ask_human`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HumanAnswered {
    /// How it came out.
    pub outcome: AskOutcome,
    /// How long it took.
    pub elapsed_ms: u64,
    /// Who still has the keyboard, and until when.
    pub held_by: Option<HeldBy>,
}

/// `kill` of one session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Killed {
    /// Which session.
    pub session_id: SessionId,
    /// Before.
    pub previous_status: Status,
    /// After.
    pub status: Status,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// Or the signal it died of.
    pub signal: Option<String>,
    /// Processes that were ended.
    pub killed_pids: Vec<u32>,
    /// Processes that could not be ended.
    pub survivors: Vec<u32>,
    /// The last of its output.
    pub output: String,
    /// With pipes: the last of its standard output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// With pipes: the last of its standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// It had ended before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub already_ended: bool,
    /// It was removed afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

/// `kill` of several sessions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KilledAll {
    /// Each session.
    pub results: Vec<Killed>,
}

/// `stats`, as `bgproc daemon status --json` prints it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsReply {
    /// The daemon.
    pub daemon_pid: u32,
    /// The keeper.
    pub keeper_pid: u32,
    /// Program version of the daemon.
    pub version: String,
    /// Program version of the keeper; empty if the daemon does not say.
    #[serde(default)]
    pub keeper_version: String,
    /// The daemon's program file. ` (deleted)` behind it: that file was deleted or replaced since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Why the keeper did not become the new program at the last upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade_error: Option<String>,
    /// Protocol version.
    pub protocol: u32,
    /// Where sockets and state live.
    pub home: String,
    /// How long the daemon has been running.
    pub uptime_ms: u64,
    /// Sessions by status.
    pub counts: BTreeMap<String, u64>,
    /// Connections open now.
    pub connections: u32,
    /// Resident memory of daemon and keeper.
    pub memory_bytes: Option<u64>,
    /// Log bytes on disk.
    pub log_bytes: u64,
    /// Limits in force.
    pub limits: super::hello::Limits,
    /// How the limits of a job are enforced here, by their names in `start`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub enforcement: BTreeMap<String, String>,
}

/// `events`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Happened {
    /// Oldest first.
    pub events: Vec<Event>,
    /// What to give as `afterSeq` next, also if nothing has happened.
    pub next_seq: u64,
}

/// `resize`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Resized {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
}

/// `signal`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signalled {
    /// Processes that it was sent to.
    pub delivered_to: Vec<u32>,
}

/// `clear`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cleared {
    /// Bytes of output that are forgotten.
    pub cleared_bytes: u64,
}

/// `remove`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// Which session.
    pub session_id: SessionId,
    /// That it is gone.
    pub removed: bool,
}

/// `subscribe`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscribed {
    /// What `unsubscribe` takes.
    pub subscription_id: String,
    /// What to give as `fromSeq` next time.
    pub next_seq: u64,
}

/// `cancel`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// That there was such a request.
    pub cancelled: bool,
}

/// What has nothing to tell but that it is done.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Done {}

/// `shutdown`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShutDown {
    /// Sessions that go on.
    pub kept: u64,
    /// Sessions that were ended.
    pub killed: u64,
    /// Processes that could not be ended.
    pub survivors: Vec<u32>,
}
