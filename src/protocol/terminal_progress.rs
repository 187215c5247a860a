//! The progress that a program reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalProgress {
    /// What it is doing.
    pub state: ProgressState,
    /// How much is done, from 0 to 100; absent if the program does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
}

/// What a program that reports progress is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProgressState {
    /// It works.
    Running,
    /// It has an error.
    Error,
    /// It waits, or it was paused.
    Paused,
}
