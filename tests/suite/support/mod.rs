//! What the tests stand on: a home of their own, and drivers for its front doors.

pub(crate) mod cluster;
pub(crate) mod daemon;
pub(crate) mod dice;
pub(crate) mod fake;
pub(crate) mod following;
pub(crate) mod home;
pub(crate) mod job;
pub(crate) mod mcp;
pub(crate) mod needs;
pub(crate) mod numbers;
pub(crate) mod person;
pub(crate) mod privilege;
pub(crate) mod process;
pub(crate) mod serve;
pub(crate) mod slurm;
pub(crate) mod small_disk;
pub(crate) mod sshd;
pub(crate) mod stranger;
pub(crate) mod terminal;
pub(crate) mod trap;
pub(crate) mod wait;

use std::time::Duration;

pub(crate) use dice::Dice;
pub(crate) use home::{Home, Ran};
pub(crate) use mcp::Mcp;
pub(crate) use person::{Person, is_known};
pub(crate) use serve::Serve;
pub(crate) use slurm::Slurm;
pub(crate) use sshd::Sshd;
pub(crate) use terminal::Terminal;
pub(crate) use trap::{Hold, Trap};
pub(crate) use wait::{DEADLINE, eventually, eventually_within};

/// How often something is repeated: a few times, or with `BGPROC_SOAK` set as
/// often as is promised, which takes minutes.
pub(crate) fn rounds(few: u32, many: u32) -> u32 {
    match std::env::var_os("BGPROC_SOAK") {
        Some(_) => many,
        None => few,
    }
}

/// How long something is kept up: for seconds, or with `BGPROC_SOAK` set as long as is promised, or as
/// `BGPROC_SOAK_SECS` says.
pub(crate) fn lasts(few: u32, many: u32) -> Duration {
    let secs = std::env::var("BGPROC_SOAK_SECS").ok();
    let many = secs.and_then(|secs| secs.parse().ok()).unwrap_or(many);
    Duration::from_secs(rounds(few, many).into())
}
