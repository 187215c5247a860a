//! The status that the keeper sends to each client of its socket in the state directory.
//!
//! It is one JSON object, followed by the end of the stream. It is available whichever daemon runs,
//! and also while none does. The keeper reads nothing from this socket. Clients and keepers may be
//! of different versions, so every added field needs a default.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Status of the keeper.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeeperStatus {
    /// Path of the socket on which it listens for clients of the daemon. The keeper has just
    /// verified that it listens there.
    pub socket: PathBuf,
    /// Its pid.
    pub keeper_pid: u32,
    /// The keeper's version.
    pub version: String,
    /// Pid of the running daemon.
    pub daemon_pid: Option<u32>,
    /// Number of jobs that have not ended.
    pub jobs: usize,
    /// Why the daemon does not stay up, if several in a row have died early.
    #[serde(default)]
    pub trouble: Option<String>,
}
