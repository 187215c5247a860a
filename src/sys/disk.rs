//! How much room a disk has, and how much of it logs leave alone.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

/// Logs are not to fill a disk: so much stays free, or a part of it if that is less.
const RESERVE: u64 = 1 << 30;
const SHARE: u64 = 20;

/// The room on a file system, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    /// That anybody may use.
    pub free: u64,
    /// In all; some file systems (of containers, say) know none.
    pub size: u64,
}

impl Space {
    /// Of the file system that `place` is on.
    pub fn of(place: &Path) -> io::Result<Self> {
        let found = statvfs(place)?;
        Ok(Self {
            free: found.f_bavail.saturating_mul(found.f_frsize),
            size: found.f_blocks.saturating_mul(found.f_frsize),
        })
    }

    /// Below this, logs are not written.
    pub fn least(self) -> u64 {
        RESERVE.min(self.size / SHARE)
    }

    /// Whether logs had better not be written.
    pub fn is_low(self) -> bool {
        self.free < self.least()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_disk_may_be_filled_to_its_last_twentieth() {
        let is_low = |free, size| Space { free, size }.is_low();
        assert!(!is_low(2 << 20, 20 << 20));
        assert!(is_low((1 << 20) - 1, 20 << 20));
        assert!(is_low(RESERVE - 1, 1 << 40));
        assert!(!is_low(RESERVE, 1 << 40));
        assert!(!is_low(0, 0));
    }
}
