//! `limits` of `start`: what a job may take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limits of a job; absent: those of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct JobLimits {
    /// Bytes of its log that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<u64>,
    /// Bytes of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Seconds of processor time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_sec: Option<u64>,
    /// Processes (threads count as such).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Open files of each process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    /// Niceness, from -20 (first served) to 19.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nice: Option<i32>,
}
