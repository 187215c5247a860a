//! Waits for what announces nothing.

use std::time::{Duration, Instant};

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
