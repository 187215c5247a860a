//! The current time, as the engine takes it.

use crate::engine::Now;
use crate::sys::clock;

/// The current time, by the boot clock and by the wall clock.
pub(super) fn now() -> Now {
    Now {
        boot: clock::boot_ms(),
        wall: clock::wall(),
    }
}
