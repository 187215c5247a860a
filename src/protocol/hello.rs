//! Who a connection is, and what the daemon says first.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Inherit, PROTOCOL, Scope, VERSION};

/// Who is at the other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// A program; sees its own scope.
    #[default]
    Agent,
    /// A person; sees every scope.
    Human,
}

/// What becomes of an agent's sessions when its connection ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnDisconnect {
    /// They go on.
    #[default]
    Keep,
    /// They are killed.
    Kill,
}

/// First line of a client on the socket: `{"action":"hello",…}`.
///
/// `--serve` sends it before anything from its stdin, which is why an agent
/// cannot choose another scope or policy later.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Greeting {
    /// Protocol version of the client.
    pub protocol: u32,
    /// Program version of the client.
    pub version: String,
    /// Who it is.
    pub role: Role,
    /// The scope it asks for; absent: a fresh one (agents) or `human`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Directory that relative paths and sessions without `cwd` start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment that its sessions start with; absent: the daemon's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// Permissions that files of its sessions are made without; absent: the keeper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
    /// Niceness, limits and processors of its sessions; absent: the keeper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherit: Option<Box<Inherit>>,
    /// Defaults from flags, environment and config file.
    pub defaults: Defaults,
    /// Policies, enforced by the daemon.
    pub policy: Policy,
}

impl Default for Greeting {
    fn default() -> Self {
        Self {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            role: Role::Agent,
            scope: None,
            cwd: None,
            env: None,
            umask: None,
            inherit: None,
            defaults: Defaults::default(),
            policy: Policy::default(),
        }
    }
}

/// Defaults of a connection; a request's own parameters win.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Defaults {
    /// `yieldMs` of `start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yield_ms: Option<u64>,
    /// `maxChars` of `poll`, `start` and `wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<usize>,
    /// `ttlMs` of `start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// `timeoutSec` of `start`, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// What a connection may do.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// Only list, status, poll, log, capture, wait and events.
    pub read_only: bool,
    /// Only these programs may be started; absent: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// What becomes of its sessions at the end.
    pub on_disconnect: OnDisconnect,
    /// Running sessions of its scope at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sessions: Option<u32>,
}

/// Data of the event `hello`, the daemon's first line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// Protocol version of the daemon.
    pub protocol: u32,
    /// Program version of the daemon.
    pub version: String,
    /// The scope of this connection.
    pub scope: Scope,
    /// The daemon's pid.
    pub pid: u32,
    /// Limits in force.
    pub limits: Limits,
    /// Actions it knows.
    pub actions: Vec<String>,
}

/// Limits in force for a connection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Running sessions of this scope.
    pub max_sessions: u32,
    /// Running sessions of everybody.
    pub max_sessions_total: u32,
    /// Finished sessions kept per scope.
    pub max_finished: u32,
    /// Bytes of a request line.
    pub max_line_bytes: usize,
    /// Requests in flight.
    pub max_in_flight: usize,
    /// `maxChars` at most.
    pub max_chars: usize,
    /// Bytes of log kept per session.
    pub log_bytes: u64,
    /// Bytes of log kept in all.
    pub total_log_bytes: u64,
}
