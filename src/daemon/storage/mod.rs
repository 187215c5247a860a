//! The daemon's files: session records, logs, the journal of events, and logs of typed input.
//!
//! This module knows formats and paths, but not what the daemon does with the contents.

pub(crate) mod input_log;
pub(crate) mod journal;
mod log_index;
pub(crate) mod log_reader;
pub(crate) mod store;
pub(crate) mod tombstone_file;
