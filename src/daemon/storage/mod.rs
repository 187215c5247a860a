//! The daemon's files: session records, logs, the journal of events, what was typed.
//!
//! This room knows formats and paths, and nothing of what the daemon does with them.

pub(crate) mod input_log;
pub(crate) mod journal;
pub(crate) mod log_reader;
pub(crate) mod store;
pub(crate) mod tombstone_file;
