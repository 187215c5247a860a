//! `restart` of `start`: whether a job that has ended is run again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A restart policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartPolicy {
    /// After which ends.
    #[serde(default)]
    pub policy: RestartWhen,
    /// So often in a row (5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// Pause before the first of them, in milliseconds (1,000); it doubles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
}

/// After which ends a job is run again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestartWhen {
    /// None.
    #[default]
    Never,
    /// Another exit code than 0, a signal, a time limit.
    OnFailure,
    /// Any that nobody has asked for.
    Always,
}

impl RestartPolicy {
    /// How often in a row.
    pub fn max_retries(&self) -> u32 {
        self.max_retries.unwrap_or(5)
    }

    /// Pause before the first one, in milliseconds.
    pub fn backoff_ms(&self) -> u64 {
        self.backoff_ms.unwrap_or(1000)
    }
}
