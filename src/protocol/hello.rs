//! Identity of a connection, and the daemon's first line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Inherit, PROTOCOL, Scope, VERSION};

/// Kind of client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// A program, which sees only its own scope.
    #[default]
    Agent,
    /// A person, who sees every scope.
    Human,
}

/// What happens to an agent's sessions when its connection ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnDisconnect {
    /// They keep running.
    #[default]
    Keep,
    /// They are killed.
    Kill,
}

/// Form of a connection's replies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Replies {
    /// Every field, as in version 1 of the protocol.
    #[default]
    Full,
    /// For models: fields that say nothing are omitted, replies are short, and requests wait until
    /// there is something to do.
    Lean,
}

/// First line of a client on the socket: `{"action":"hello",…}`.
///
/// `--serve` sends it before anything from its stdin, so an agent cannot choose another scope or
/// policy later.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Greeting {
    /// Protocol version of the client.
    pub protocol: u32,
    /// Program version of the client.
    pub version: String,
    /// Kind of client.
    pub role: Role,
    /// The requested scope; absent: a fresh one for agents, `human` for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Directory for relative paths and for sessions without `cwd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Why the client's own directory cannot be named: it was removed, for example. Then a relative path is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd_fault: Option<String>,
    /// Environment of its sessions; absent: the daemon's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// Umask of its sessions; absent: the keeper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
    /// Niceness, resource limits and processors of its sessions; absent: the keeper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherit: Option<Box<Inherit>>,
    /// Form of the replies.
    #[serde(skip_serializing_if = "is_full")]
    pub replies: Replies,
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
            cwd_fault: None,
            env: None,
            umask: None,
            inherit: None,
            replies: Replies::Full,
            defaults: Defaults::default(),
            policy: Policy::default(),
        }
    }
}

/// Whether replies have the default form, so that serde omits it.
fn is_full(replies: &Replies) -> bool {
    *replies == Replies::Full
}

/// Defaults of a connection. Parameters of a request take precedence.
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
    /// `shell` of `start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// `pagers` of `start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pagers: Option<bool>,
}

/// What a connection may do.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// Whether only actions are allowed that change nothing (list, status, poll, log, capture, wait, events and the like).
    pub read_only: bool,
    /// The only programs that may be started; absent: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// What happens to its sessions when the connection ends.
    pub on_disconnect: OnDisconnect,
    /// Maximum number of running sessions in its scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sessions: Option<u32>,
    /// The hosts that it may reach; absent: those that the configuration opens to agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<String>>,
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
    /// Names of the actions that it knows.
    pub actions: Vec<String>,
}

/// Limits in force for a connection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Maximum number of running sessions in this scope.
    pub max_sessions: u32,
    /// Maximum number of running sessions in all scopes.
    pub max_sessions_total: u32,
    /// Maximum number of finished sessions kept per scope.
    pub max_finished: u32,
    /// Maximum length of a request line, in bytes.
    pub max_line_bytes: usize,
    /// Maximum number of requests in flight.
    pub max_in_flight: usize,
    /// Maximum value of `maxChars`.
    pub max_chars: usize,
    /// Bytes of log kept per session.
    pub log_bytes: u64,
    /// Bytes of log kept for all sessions together.
    pub total_log_bytes: u64,
}
