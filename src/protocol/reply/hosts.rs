//! Results about hosts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Error, Timestamp};

/// How a host is connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HostState {
    /// Not connected, because nobody needs it.
    Idle,
    /// A connection is being made.
    Connecting,
    /// Connected.
    Up,
    /// It cannot be reached.
    Down,
    /// A person has disconnected it.
    Disconnected,
}

impl HostState {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Connecting => "connecting",
            Self::Up => "up",
            Self::Down => "down",
            Self::Disconnected => "disconnected",
        }
    }
}

/// When a host is connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HostConnect {
    /// Always.
    Always,
    /// When somebody needs it.
    #[default]
    Demand,
    /// Only after `connect`.
    Manual,
}

/// A host, and how it is connected.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostStatus {
    /// Its name.
    pub name: String,
    /// How it is connected.
    pub state: HostState,
    /// Since when.
    pub since: Option<Timestamp>,
    /// When it was last connected; `null` if it is now, and if it never was.
    pub last_seen: Option<Timestamp>,
    /// Why it cannot be reached.
    pub error: Option<Error>,
    /// When the next attempt is made.
    pub retry_at: Option<Timestamp>,
    /// When it is to be connected.
    pub connect: HostConnect,
    /// Whether all agents may reach it.
    pub agents: bool,
    /// The version of bgproc on it.
    pub version: Option<String>,
    /// Number of sessions on it that the client may see, as last known.
    pub sessions: u64,
    /// The command that reaches it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<String>,
}

/// Result of `hosts`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostList {
    /// The hosts, by name.
    pub hosts: Vec<HostStatus>,
}
