//! Background tasks, and work that runs within one.

pub(crate) mod batch;
pub(crate) mod hooks;
pub(crate) mod hosts;
pub(crate) mod keeper;
mod last_words;
mod probe;
mod process_scan;
pub(crate) mod projects;
pub(crate) mod render;
pub(crate) mod restart;
mod shell_line;
mod successor;
pub(crate) mod timers;
pub(crate) mod tree_kill;
mod unready;
pub(crate) mod usage;
pub(crate) mod watch;
