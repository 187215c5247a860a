//! What comes back of a log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Left;
use crate::protocol::{Role, Scope, Timestamp};

/// `log` by bytes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogBytes {
    /// In the format asked for.
    pub output: String,
    /// Raw offset of its first byte.
    pub offset: u64,
    /// Where to go on.
    pub next_offset: u64,
    /// First byte that is kept.
    pub first_offset: u64,
    /// Bytes written since it began.
    pub total_bytes: u64,
    /// Whether nothing more can come.
    pub eof: bool,
    /// If asked for: when which of them were written, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<LogTime>>,
    /// With `origins`: when which of them were written, and to which stream, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<Vec<LogOrigin>>,
    /// With `origins`: the runs of the session, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<LogRun>>,
    /// Whether the session has ended only to be run again by somebody who restarts it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restarting: bool,
}

/// Where a stretch of output came from.
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

/// Where a run began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogRun {
    /// From 1.
    pub run: u32,
    /// Raw offset of its first byte.
    pub offset: u64,
}

/// When a stretch of output was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogTime {
    /// Raw offset of its first byte.
    pub offset: u64,
    /// When that was written; the rest of it within the same second.
    pub at: Timestamp,
}

/// One line of `log`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    /// From 1, for ever.
    pub n: u64,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// `stdout` or `stderr`; `input` for what was typed.
    pub stream: String,
    /// Clean text.
    pub text: String,
    /// For what was typed: whose scope it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Scope>,
    /// For what was typed: a person, or an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Role>,
    /// With `origins`: raw offset of its first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// With `origins`: it is a piece of a line that is too long for one, and goes on in the next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
}

/// `log` by lines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogLines {
    /// In order.
    pub lines: Vec<LogLine>,
    /// First line that is kept.
    pub first_line: u64,
    /// Lines since it began.
    pub total_lines: u64,
    /// Ends of long lines, and lines asked for that the reply has no room for.
    #[serde(default)]
    pub omitted: Left,
    /// Where to go on.
    #[serde(default)]
    pub next_line: u64,
}

/// One match of `log` with `grep`.
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

/// `log` with `grep`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogMatches {
    /// In order.
    pub matches: Vec<LogMatch>,
    /// First line that is kept.
    pub first_line: u64,
    /// Lines since it began.
    pub total_lines: u64,
    /// Whether `maxMatches`, or the room of a reply, cut the list.
    pub truncated: bool,
    /// Ends of long lines, and context that the reply has no room for.
    #[serde(default)]
    pub omitted: Left,
}
