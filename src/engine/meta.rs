//! What is known of a session besides its output: what it runs, its time limits, and the content of
//! `meta.json`.

use serde::{Deserialize, Serialize};

use super::Now;
use super::batch::Batch;
use super::life::Life;
use super::report::Report;
use super::sizes::Sizes;
use crate::protocol::record::Share;
use crate::protocol::status::Mode;
use crate::protocol::{JobLimits, Notice, Probe, RestartPolicy, Scope, SessionId};

/// What a session runs, as requested.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// Program, or a shell line if there are no `args`.
    pub command: String,
    /// Arguments; absent: `command` is a shell line.
    pub args: Option<Vec<String>>,
    /// The shell that runs the line; absent: `/bin/sh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// Working directory.
    pub cwd: String,
    /// PTY or pipes.
    pub mode: Mode,
    /// Name for people.
    pub label: Option<String>,
    /// Group for people.
    pub group: Option<String>,
    /// Tags, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Purpose, in the words of the client.
    pub description: Option<String>,
    /// Names of the variables that were set for it. Their values are not kept.
    pub env_names: Vec<String>,
    /// How to detect that it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<Probe>,
    /// Restart policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartPolicy>,
    /// Resource limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<JobLimits>,
    /// Whether this was changed after the last run began, so that the copy in the keeper is
    /// outdated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// Shell line that continues it after it was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// Shell line to run after its final end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exit: Option<String>,
    /// Of what people are notified, besides what they are told anyway.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<Notice>,
    /// The job of a project that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectJob>,
    /// Exit codes that count as success; absent: 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ok_codes: Vec<i32>,
}

impl Spec {
    /// What continues it after it was lost, if it has a line for that.
    pub fn resumed(&self) -> Option<Self> {
        Some(Self {
            command: self.resume.clone()?,
            args: None,
            ..self.clone()
        })
    }

    /// Gives another specification what can be changed while the program runs: names, tags, restart policy, `onExit`,
    /// notices and the job of the project.
    pub fn apply_in_place(&self, spec: &mut Self) {
        spec.label.clone_from(&self.label);
        spec.group.clone_from(&self.group);
        spec.tags.clone_from(&self.tags);
        spec.description.clone_from(&self.description);
        spec.restart = self.restart;
        spec.on_exit.clone_from(&self.on_exit);
        spec.notify.clone_from(&self.notify);
        spec.project.clone_from(&self.project);
    }
}

/// The job of a project that a session runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProjectJob {
    /// Id of the project.
    pub id: String,
    /// Name of the job in its file.
    pub job: String,
}

/// Time limits in milliseconds. A run's time limit of 0 means none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeLimits {
    /// Time limit of a run.
    pub timeout_ms: u64,
    /// Time between TERM and KILL at the time limit.
    pub timeout_grace_ms: u64,
    /// How long a finished session is kept after its last access.
    pub ttl_ms: u64,
    /// How long a failed session is kept after its last access; absent: as `ttl_ms` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_ttl_ms: Option<u64>,
    /// Whether it is kept until room is needed instead; absent: not specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_room: Option<bool>,
    /// Whether it is kept for ever.
    pub keep: bool,
}

/// The content of `meta.json`: everything about a session except its output.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Version of this format.
    pub version: u32,
    /// The boot to which all boot-time milliseconds in this file belong.
    pub boot_id: String,
    /// Id of the session.
    pub id: SessionId,
    /// Scope that owns the session.
    pub scope: Scope,
    /// Idempotency key.
    pub key: Option<String>,
    /// What it runs.
    pub spec: Spec,
    /// Rows of its terminal.
    pub rows: u16,
    /// Columns of its terminal.
    pub cols: u16,
    /// The sizes that the terminal has had; absent: always `rows` and `cols`.
    #[serde(default, skip_serializing_if = "Sizes::is_constant")]
    pub sizes: Sizes,
    /// Its time limits.
    #[serde(rename = "terms")]
    pub time_limits: TimeLimits,
    /// State of its life.
    pub life: Life,
    /// Lines of clean text before the first byte that is kept.
    pub lines_before: u64,
    /// Offset up to which `lines_before` counts; absent: the start of the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_before_offset: Option<u64>,
    /// Newlines before that offset; absent: not known, or there is no offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newlines_before: Option<u64>,
    /// Whether its first run has not had the input of its start, which is not kept; absent: it has, or there is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub input_owed: bool,
    /// Whether its standard input was closed.
    pub stdin_closed: bool,
    /// When a client last accessed it, accurate to about a twentieth of its TTL. Absent in files of
    /// version 0.1.
    #[serde(default)]
    pub accessed: Option<Now>,
    /// What its program last reported of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// What it and the batch system that runs it know of each other; absent: this machine runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Box<Batch>>,
    /// Whether agents of other scopes may see it; absent: they may not.
    #[serde(default, skip_serializing_if = "Share::is_none")]
    pub share: Share,
}

impl Meta {
    /// The version that is written.
    pub const VERSION: u32 = 1;
}

#[cfg(test)]
#[path = "meta_tests.rs"]
mod tests;
