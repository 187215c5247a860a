//! What the daemon has of the keeper: the socket, the memory and pipes that both share, the
//! requests that are pending, and the keeper's process.
//!
//! This room sends and remembers. What a message of the keeper means for a session is decided in
//! [`state`](super::state); the tasks that read the socket and replace a dead keeper are in
//! [`tasks`](super::tasks).

mod link;
mod process;
mod shortage;
mod starts;

pub(crate) use link::{KeeperLink, Shared, waiting_end};
pub(crate) use process::KeeperProcess;
pub(crate) use shortage::check_connection;
pub(crate) use starts::{Launch, SpawnFailure, Starting, kill_strays};
