//! Result of `listeners`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The processes that belong to no session and listen on the ports in question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortListeners {
    /// By port.
    pub listeners: Vec<Listener>,
}

/// A process that belongs to no session and listens on a port.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listener {
    /// The TCP port, on IPv4 or IPv6.
    pub port: u16,
    /// `PROJECT/JOB` that has reserved the port; absent if none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_for: Option<String>,
    /// Its pid; absent if it is a process of another user, which cannot be examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

impl fmt::Display for Listener {
    /// For a person: `pid 7: python3 -m http.server in /srv`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(pid) = self.pid else {
            return write!(f, "a process of another user");
        };
        write!(f, "pid {pid}")?;
        if let Some(command) = &self.command {
            write!(f, ": {command}")?;
        }
        match &self.cwd {
            Some(cwd) => write!(f, " in {cwd}"),
            None => Ok(()),
        }
    }
}
