//! What the shell of a session reports about its commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a shell reports about its commands, if it marks its prompts (OSC 133).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellState {
    /// Whether it is at its prompt or runs a command; absent between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<ShellActivity>,
    /// Exit code of its last command, if the shell reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// What a shell is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShellActivity {
    /// It is at its prompt.
    Prompt,
    /// It runs a command.
    Command,
}
