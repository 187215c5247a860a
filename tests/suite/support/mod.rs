//! What the tests stand on: a home of their own, and drivers for its front doors.

pub(crate) mod daemon;
pub(crate) mod fake;
pub(crate) mod home;
pub(crate) mod job;
pub(crate) mod privilege;
pub(crate) mod process;
pub(crate) mod serve;
pub(crate) mod terminal;

use std::time::Duration;

pub(crate) use home::{Home, Ran};
pub(crate) use serve::Serve;
pub(crate) use terminal::Terminal;

/// How long anything may take before a test fails: far beyond what it needs,
/// because the machine may be busy.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
