//! The daemon's side of the keeper: the socket, the memory and the pipe that both share, the pending requests,
//! and the keeper's process.
//!
//! This module sends requests and keeps track of them. What a message of the keeper means for a session is
//! decided in [`state`](super::state). The tasks that read the socket and replace a dead keeper are in
//! [`tasks`](super::tasks).

mod for_next;
mod link;
mod process;
mod shortage;
mod starts;

pub(crate) use for_next::ForNext;
pub(crate) use link::{KeeperLink, Shared, waiting_end};
pub(crate) use process::KeeperProcess;
pub(crate) use shortage::check_connection;
pub(crate) use starts::{Launch, SpawnFailure, Starting, kill_strays};
