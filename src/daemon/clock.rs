//! The current time, as the engine takes it, and sleeps until a time that there may not be.

use std::future::pending;
use std::time::Duration;

use tokio::time::{self, Instant};

use crate::engine::Now;
use crate::sys::clock;

/// The current time, by the boot clock and by the wall clock.
pub(super) fn now() -> Now {
    Now {
        boot: clock::boot_ms(),
        wall: clock::wall(),
    }
}

/// Sleeps until a time of the boot clock, in milliseconds; for ever if there is none. Longer if the machine sleeps
/// meanwhile: an [`Alarm`](crate::sys::alarm::Alarm) does not.
pub(super) async fn sleep_until_boot(at: Option<u64>) {
    match at {
        // One millisecond more, because the clock is truncated to milliseconds.
        Some(at) => time::sleep(Duration::from_millis(at.saturating_sub(now().boot) + 1)).await,
        None => pending().await,
    }
}

/// Sleeps until this instant; for ever if there is none.
pub(super) async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => time::sleep_until(at).await,
        None => pending().await,
    }
}
