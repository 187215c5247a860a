//! Result of `queue`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::SessionId;
use crate::protocol::project::{OnFailure, ProjectName};

/// The queues, or the one that was named.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Queues {
    /// By project and name; those that belong to no project come first.
    pub queues: Vec<QueueState>,
}

/// A queue.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueState {
    /// Its name, which is that of a group.
    pub queue: String,
    /// The project whose file defines it; absent if a person has made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
    /// How many of its sessions run at once; 0: it is no queue any more.
    pub parallel: u32,
    /// What a failed session does to it.
    pub on_failure: OnFailure,
    /// Whether it starts nothing.
    pub paused: bool,
    /// Why it is paused; absent if a person has paused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Its sessions that run, as far as the client may see them.
    pub running: Vec<SessionId>,
    /// Its sessions that wait, the next one first, as far as the client may see them.
    pub waiting: Vec<SessionId>,
    /// Its sessions that cannot start, because what they need cannot come any more by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SessionId>,
}
