//! What is known of a session besides its output: what it runs, under which time limits, and
//! what `meta.json` holds.

use serde::{Deserialize, Serialize};

use super::Now;
use super::life::Life;
use super::sizes::Sizes;
use crate::protocol::record::{Mode, Share};
use crate::protocol::{JobLimits, Probe, RestartPolicy, Scope, SessionId};

/// What a session runs, as it was asked for.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// Program, or shell line if there are no `args`.
    pub command: String,
    /// Arguments.
    pub args: Option<Vec<String>>,
    /// Working directory.
    pub cwd: String,
    /// PTY or pipes.
    pub mode: Mode,
    /// Name for people.
    pub label: Option<String>,
    /// Group for people.
    pub group: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Names of the variables that were set for it; their values are not kept.
    pub env_names: Vec<String>,
    /// How to tell that it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<Probe>,
    /// Whether it is run again after its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartPolicy>,
    /// What it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<JobLimits>,
    /// Whether what it runs was changed after its last run began, so that what the
    /// keeper remembers of it is older.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// Shell line to run once it has ended for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exit: Option<String>,
}

/// How long things may take. Milliseconds; a time limit of 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeLimits {
    /// Time limit of a run.
    pub timeout_ms: u64,
    /// Time between TERM and KILL at the time limit.
    pub timeout_grace_ms: u64,
    /// How long it is kept after its end and last access.
    pub ttl_ms: u64,
    /// The same if it failed; absent: as long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_ttl_ms: Option<u64>,
    /// Whether it is kept until room is needed instead; absent: nobody has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_room: Option<bool>,
    /// Kept for ever.
    pub keep: bool,
}

/// What `meta.json` holds: everything about a session but its output.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Version of this form.
    pub version: u32,
    /// The boot that boot-time milliseconds in here belong to.
    pub boot_id: String,
    /// Its name.
    pub id: SessionId,
    /// Whose it is.
    pub scope: Scope,
    /// Idempotency key.
    pub key: Option<String>,
    /// What it runs.
    pub spec: Spec,
    /// Rows of its terminal.
    pub rows: u16,
    /// Columns of its terminal.
    pub cols: u16,
    /// The sizes it has had; absent: always this one.
    #[serde(default, skip_serializing_if = "Sizes::is_constant")]
    pub sizes: Sizes,
    /// How long things may take.
    #[serde(rename = "terms")]
    pub time_limits: TimeLimits,
    /// Its life so far.
    pub life: Life,
    /// Lines of clean text up to the first byte that is kept.
    pub lines_before: u64,
    /// Offset before which those lines are; absent: where the log begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_before_offset: Option<u64>,
    /// Its standard input was closed.
    pub stdin_closed: bool,
    /// When a client last asked for it, not later than a twentieth of its TTL ago
    /// or so; absent in what version 0.1 wrote.
    #[serde(default)]
    pub accessed: Option<Now>,
    /// Whether agents of other scopes may see it; absent: they may not.
    #[serde(default, skip_serializing_if = "Share::is_none")]
    pub share: Share,
}

impl Meta {
    /// The version written today.
    pub const VERSION: u32 = 1;
}

#[cfg(test)]
#[path = "meta_tests.rs"]
mod tests;
