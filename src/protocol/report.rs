//! What a program reports of itself, and what the kernel or its output has said since.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// Maximum number of characters of a reported message that are kept.
pub const MAX_REPORT: usize = 200;

/// What a program does, in its own words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Activity {
    /// It works.
    Working,
    /// It cannot go on without somebody.
    Blocked,
    /// It has nothing to do.
    Idle,
}

impl Activity {
    /// Its name on the wire, which people also read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Blocked => "blocked",
            Self::Idle => "idle",
        }
    }
}

/// What is newer than a report and says something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Evidence {
    /// The kernel: the program began to wait for a line or a password, or ceased to.
    Input,
    /// The program wrote output.
    Output,
}

/// The last report of the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    /// What the program does.
    pub state: Activity,
    /// Its words about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it reported.
    pub at: Timestamp,
    /// What has said something else since; absent: the report holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<Evidence>,
}
