//! How much room there is for logs.

use std::path::PathBuf;

use rustix::fs::statvfs;

use crate::sys::clock;

/// Logs are not to fill a disk: below this, or a twentieth of it if that is
/// less, only the newest output is kept, in memory.
const RESERVE: u64 = 1 << 30;
const SHARE: u64 = 20;

/// The disk is looked at again after so many bytes of output.
const LOOK_BYTES: u64 = 4 << 20;

/// And after so many milliseconds, while there is too little room.
const LOOK_MS: u64 = 1000;

/// The disk that the logs are on.
#[derive(Debug)]
pub(super) struct Disk {
    place: PathBuf,
    /// Bytes since it was looked at.
    bytes: u64,
    /// Boot-time milliseconds of that.
    looked_at: u64,
    low: Option<String>,
}

impl Disk {
    pub(super) fn new(place: PathBuf) -> Self {
        let mut disk = Self {
            place,
            bytes: 0,
            looked_at: 0,
            low: None,
        };
        disk.look();
        disk
    }

    /// Counts bytes that are to be written; says why they had better not.
    pub(super) fn check(&mut self, bytes: usize) -> Option<&str> {
        self.bytes += bytes as u64;
        let waited = self.low.is_some() && clock::boot_ms() >= self.looked_at + LOOK_MS;
        if self.bytes >= LOOK_BYTES || waited {
            self.look();
        }
        self.low.as_deref()
    }

    fn look(&mut self) {
        self.bytes = 0;
        self.looked_at = clock::boot_ms();
        // A disk that does not tell is written to until it refuses.
        let Ok(found) = statvfs(&self.place) else {
            self.low = None;
            return;
        };
        let (free, size) = (
            found.f_bavail * found.f_frsize,
            found.f_blocks * found.f_frsize,
        );
        self.low = is_low(free, size).then(|| format!("only {} MiB of disk are free", free >> 20));
    }
}

fn is_low(free: u64, size: u64) -> bool {
    // Some file systems (of containers, say) know no size.
    size > 0 && free < RESERVE.min(size / SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_disk_may_be_filled_to_its_last_twentieth() {
        assert!(!is_low(2 << 20, 20 << 20));
        assert!(is_low((1 << 20) - 1, 20 << 20));
        assert!(is_low(RESERVE - 1, 1 << 40));
        assert!(!is_low(RESERVE, 1 << 40));
        assert!(!is_low(0, 0));
    }
}
