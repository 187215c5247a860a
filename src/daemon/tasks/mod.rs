//! Work that goes on by itself: each of these runs as a task, or in one.

pub(crate) mod keeper;
mod process_scan;
pub(crate) mod render;
pub(crate) mod restart;
mod successor;
pub(crate) mod timers;
pub(crate) mod tree_kill;
pub(crate) mod watch;
