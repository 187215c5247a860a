//! What time it is, in milliseconds.

use rustix::time::{ClockId, clock_gettime};

use crate::protocol::Timestamp;

/// Milliseconds since the machine started, suspend included. Deadlines are
/// kept on this clock: it never jumps, and a new daemon reads the same one.
pub fn boot_ms() -> u64 {
    let at = clock_gettime(ClockId::Boottime);
    let millis = at.tv_sec * 1000 + at.tv_nsec / 1_000_000;
    u64::try_from(millis).unwrap_or_default()
}

/// The wall clock, for display only.
pub fn wall() -> Timestamp {
    let at = clock_gettime(ClockId::Realtime);
    Timestamp(at.tv_sec * 1000 + at.tv_nsec / 1_000_000)
}

/// Name of this boot, so that state files of an earlier one are known as such.
pub fn boot_id() -> String {
    // Absent on other systems than Linux, where every boot then looks the same.
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}
