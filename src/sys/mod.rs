//! The operating system, and the only `unsafe` of the crate.
//!
//! Each file covers one facility:
//!
//! - Files and places: [`paths`] (directories), [`socket`] (where clients connect), [`lock`], [`mod@file`]
//!   (small private files), [`dirwatch`] (removed files), [`file_watch`] (changed files), [`lease`] (files
//!   that are being written), [`disk`]
//!   (free space), [`segments`] (files of a log), [`exit_file`] (how a session ended), [`users`] (whose files are
//!   trusted), `proc` (files of `/proc`).
//! - Homes that several machines see: [`machine`] (login nodes), [`node_home`] and [`node_dirs`] (nodes of a cluster).
//! - Keeper and daemon: [`detach`] (starting them), [`role`] (finding them), [`channel`] (messages with
//!   file descriptors), [`shared_table`] (shared memory), [`kept`] (descriptors handed over with a
//!   session), [`sealed`] (text in memory that is handed over).
//! - Starting jobs: [`pty`], [`spawn`] with `child` (from fork to `exec`), [`inherit`] (settings taken from the
//!   caller), [`cgroup`] and [`rlimits`] (limits of a job), [`limits`] (limits of the system).
//! - Output: [`splice`] (from a terminal into a log), [`tail`] (output that cannot be logged).
//! - Processes: [`process`], [`tree`] (the processes of a session), [`signal`], [`ending`] (exit status of
//!   processes that are not our children), [`input`] (whether a program waits for input), [`usage`],
//!   [`ports`], [`login`] (the terminal session of a process).
//! - Others: [`alarm`], [`clock`], [`memory`], [`readiness`] (waiting for descriptors), [`failpoint`] (hooks for tests).

pub mod alarm;
pub mod cgroup;
pub mod channel;
mod child;
pub mod clock;
pub mod detach;
pub mod dirwatch;
pub mod disk;
pub mod ending;
pub mod exit_file;
pub mod failpoint;
pub mod file;
pub mod file_watch;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod fixture;
pub mod inherit;
pub mod input;
pub mod kept;
pub mod lease;
pub mod limits;
pub mod lock;
pub mod login;
pub mod machine;
pub mod memory;
pub mod node_dirs;
pub mod node_home;
pub mod paths;
pub mod ports;
mod proc;
pub mod process;
pub mod pty;
pub mod readiness;
pub mod rlimits;
pub mod role;
pub mod sealed;
pub mod segments;
pub mod shared_table;
pub mod signal;
pub mod socket;
pub mod spawn;
pub mod splice;
pub mod tail;
pub mod tree;
pub mod usage;
pub mod users;
