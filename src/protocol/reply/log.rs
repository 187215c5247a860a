//! Results of `log`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Left;
use crate::protocol::{Role, Scope, SessionId, Timestamp};

/// Result of `log` by bytes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogBytes {
    /// The output in the requested format.
    pub output: String,
    /// Raw offset of its first byte.
    pub offset: u64,
    /// Offset of the next read.
    pub next_offset: u64,
    /// Offset of the first byte that is kept.
    pub first_offset: u64,
    /// Bytes of output since the session began.
    pub total_bytes: u64,
    /// Whether no more output can come.
    pub eof: bool,
    /// With `times`: when the bytes were written, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<LogTime>>,
    /// With `origins`: when the bytes were written and to which stream, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<Vec<LogOrigin>>,
    /// With `origins`: the runs of the session, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<LogRun>>,
    /// Whether the session has ended only to be restarted on request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restarting: bool,
}

/// Origin of a range of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogOrigin {
    /// Raw offset of its first byte.
    pub offset: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Whether it was written to standard error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stderr: bool,
}

/// The beginning of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogRun {
    /// Number of the run, counted from 1.
    pub run: u32,
    /// Raw offset of its first byte.
    pub offset: u64,
}

/// Time of a range of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogTime {
    /// Raw offset of its first byte.
    pub offset: u64,
    /// When the first byte was written. The others were written within the same second.
    pub at: Timestamp,
}

/// A line of `log`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    /// Permanent line number, counted from 1.
    pub n: u64,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// `stdout` or `stderr`; `input` for typed input.
    pub stream: String,
    /// Clean text.
    pub text: String,
    /// For typed input: scope of the client that typed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Scope>,
    /// For typed input: whether a person or an agent typed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Role>,
    /// With `origins`: raw offset of its first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// With `origins`: the line is too long for one entry and continues in the next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
}

/// Result of `log` by lines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogLines {
    /// In order of their numbers.
    pub lines: Vec<LogLine>,
    /// Number of the first line that is kept.
    pub first_line: u64,
    /// Number of lines since the session began.
    pub total_lines: u64,
    /// The ends of long lines, and requested lines for which the reply has no room.
    #[serde(default)]
    pub omitted: Left,
    /// Number of the next line to read.
    #[serde(default)]
    pub next_line: u64,
    /// With `command`: how the command ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<ShellCommand>,
    /// On a lean connection, of a session that has had several runs: those of the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<ShownRuns>,
}

/// The runs to which the lines of a reply belong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownRuns {
    /// Number of the last run of the session.
    pub last: u32,
    /// The runs of which lines are shown, oldest first.
    pub shown: Vec<ShownRun>,
}

/// A run of which lines are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownRun {
    /// Its number, counted from 1.
    pub run: u32,
    /// Number of its first line that is shown; with `grep`, of its first match.
    pub line: u64,
}

/// The command of a shell whose output was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellCommand {
    /// Whether it still runs.
    pub running: bool,
    /// Its exit code, if the shell reported it.
    pub exit_code: Option<i32>,
    /// Number of lines that it has written, if the request names no first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
}

/// A match of `log` with `grep`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogMatch {
    /// Line number.
    pub n: u64,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Raw offset of its first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The line.
    pub text: String,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// Result of `log` of several sessions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct LogsOfSeveral {
    /// The newest session first. With `grep`, only sessions with matches.
    pub results: Vec<LogOfSession>,
    /// The sessions that were not read, because the reply is full or their log cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<SessionId>,
}

/// A part of one session's log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogOfSession {
    /// Id of the session.
    pub session_id: SessionId,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What was found.
    #[serde(flatten)]
    pub part: LogPart,
}

/// The matches in a log, or its lines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LogPart {
    /// With `grep`.
    Matches(LogMatches),
    /// With `tail` or `lines`.
    Lines(LogLines),
}

/// Result of `log` with `grep`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogMatches {
    /// In order of their line numbers.
    pub matches: Vec<LogMatch>,
    /// Number of the first line that is kept.
    pub first_line: u64,
    /// Number of lines since the session began.
    pub total_lines: u64,
    /// Whether `maxMatches` or the size limit of a reply cut the list.
    pub truncated: bool,
    /// The ends of long lines, and context for which the reply has no room.
    #[serde(default)]
    pub omitted: Left,
    /// On a lean connection, of a session that has had several runs: those of the matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<ShownRuns>,
}
