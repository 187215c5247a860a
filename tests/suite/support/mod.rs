//! What the tests stand on: a home of their own, and drivers for its front doors.

pub(crate) mod daemon;
pub(crate) mod dice;
pub(crate) mod fake;
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
pub(crate) mod sshd;
pub(crate) mod stranger;
pub(crate) mod terminal;
pub(crate) mod trap;

use std::time::{Duration, Instant};

pub(crate) use dice::Dice;
pub(crate) use home::{Home, Ran};
pub(crate) use mcp::Mcp;
pub(crate) use person::{Person, is_known};
pub(crate) use serve::Serve;
pub(crate) use slurm::Slurm;
pub(crate) use sshd::Sshd;
pub(crate) use terminal::Terminal;
pub(crate) use trap::Trap;

/// How long anything may take before a test fails: far beyond what it needs,
/// because the machine may be busy.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// Time between two looks at something that announces nothing.
const LOOK: Duration = Duration::from_millis(5);

/// Looks until there is something, for what announces nothing: a file, or a process. `what` completes "it is
/// not true that" when the deadline has passed.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    eventually_within(DEADLINE, what, look)
}

/// [`eventually`], for what takes its time.
#[track_caller]
pub(crate) fn eventually_within<T>(
    within: Duration,
    what: &str,
    mut look: impl FnMut() -> Option<T>,
) -> T {
    let deadline = Instant::now() + within;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "it is not true that {what}");
        std::thread::sleep(LOOK);
    }
}

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
