//! Clocks, in milliseconds.

use rustix::time::{ClockId, clock_gettime};

use super::failpoint;
use crate::protocol::Timestamp;

/// Milliseconds since the machine started, suspend included (`CLOCK_BOOTTIME`). Deadlines use this clock:
/// it never jumps, and a new daemon reads the same one.
pub fn boot_ms() -> u64 {
    let at = clock_gettime(ClockId::Boottime);
    let millis = at.tv_sec * 1000 + at.tv_nsec / 1_000_000;
    u64::try_from(millis).unwrap_or_default()
}

/// The wall clock: for display, and for schedules.
pub fn wall() -> Timestamp {
    let at = clock_gettime(ClockId::Realtime);
    Timestamp(at.tv_sec * 1000 + at.tv_nsec / 1_000_000 + failpoint::clock_ahead())
}

/// Id of this boot, by which state files from an earlier boot are recognized.
pub fn boot_id() -> String {
    // Other systems than Linux have no such file; every boot looks the same there.
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}
