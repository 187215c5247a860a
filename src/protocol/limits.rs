//! `limits` of `start`: resource limits of a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds;

/// Resource limits of a job. An absent field leaves the system's limit unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct JobLimits {
    /// Bytes of its log to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = bounds::LEAST_LOG_BYTES))]
    pub log_bytes: Option<u64>,
    /// Memory in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = bounds::LEAST_MEMORY, max = bounds::MAX_SYSTEM))]
    pub memory_bytes: Option<u64>,
    /// CPU time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = bounds::MAX_SYSTEM))]
    pub cpu_sec: Option<u64>,
    /// Number of processes, including threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = bounds::MAX_SYSTEM))]
    pub processes: Option<u64>,
    /// Number of open files per process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 3, max = bounds::MAX_OPEN_FILES))]
    pub open_files: Option<u64>,
    /// Niceness, from -20 (highest priority) to 19.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -20, max = 19))]
    pub nice: Option<i32>,
}
