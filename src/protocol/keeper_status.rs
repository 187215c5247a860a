//! What the keeper says of itself to whoever connects to its socket in the state directory.
//!
//! One JSON object and the end of the stream, whichever daemon runs, and also while none does. The keeper
//! reads nothing there. A field that is added needs a default: clients and keepers may be of different versions.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How the keeper is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeeperStatus {
    /// Where it listens for clients of the daemon. It has just made sure that it does.
    pub socket: PathBuf,
    /// Its pid.
    pub keeper_pid: u32,
    /// Its version.
    pub version: String,
    /// The daemon that runs, if one does.
    pub daemon_pid: Option<u32>,
    /// Jobs that have not ended.
    pub jobs: usize,
    /// Why no daemon stays, in words, if several in a row did not.
    #[serde(default)]
    pub trouble: Option<String>,
}
