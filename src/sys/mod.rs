//! The operating system, and the only `unsafe` of the crate.
//!
//! Each file is one thing the system gives: [`paths`] and [`socket`] where to
//! meet, [`role`] who is there already, [`dirwatch`] whether that is still there, [`lock`] who may, [`login`] on which
//! terminal, [`detach`] how a process leaves its terminal,
//! [`channel`] messages with file descriptors, [`table`] memory that keeper and
//! daemon share, [`pty`] and [`spawn`] a job's terminal and process, [`splice`]
//! bytes from a terminal into a log, [`tail`] those that no log takes, [`tree`]
//! and [`signal`] whom to end, [`ending`] how somebody else's child ended,
//! [`input`] whether a program waits for input, [`usage`] what processes use,
//! [`kept`] what goes with a session to the next process, [`ports`] where it listens, [`segments`] the files
//! of a log, [`disk`] and [`limits`] how much there may be, [`cgroup`] and [`rlimits`] how
//! much a job may take, [`inherit`] what it has of whoever asked for it, [`mod@file`] small files whole, [`clock`] what
//! time it is.

pub mod cgroup;
pub mod channel;
mod child;
pub mod clock;
pub mod detach;
pub mod dirwatch;
pub mod disk;
pub mod ending;
pub mod failpoint;
pub mod file;
pub mod inherit;
pub mod input;
pub mod kept;
pub mod limits;
pub mod lock;
pub mod login;
pub mod memory;
pub mod paths;
pub mod ports;
mod proc;
pub mod process;
pub mod pty;
pub mod readiness;
pub mod rlimits;
pub mod role;
pub mod segments;
pub mod shared_table;
pub mod signal;
pub mod socket;
pub mod spawn;
pub mod splice;
pub mod tail;
pub mod tree;
pub mod usage;
