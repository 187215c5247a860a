//! Free disk space, and the part of it that logs must leave free.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

/// Logs must not fill a disk: this many bytes stay free, or a 20th of the disk ([`SHARE`]) if that is less.
const RESERVE: u64 = 1 << 30;
const SHARE: u64 = 20;

/// Space on a file system, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    /// Free space for unprivileged users.
    pub free: u64,
    /// Total size; 0 for some file systems, such as those of containers.
    pub size: u64,
}

impl Space {
    /// Space on the file system that holds `place`.
    pub fn of(place: &Path) -> io::Result<Self> {
        let found = statvfs(place)?;
        Ok(Self {
            free: found.f_bavail.saturating_mul(found.f_frsize),
            size: found.f_blocks.saturating_mul(found.f_frsize),
        })
    }

    /// The free space below which logs are not written.
    pub fn least(self) -> u64 {
        RESERVE.min(self.size / SHARE)
    }

    /// Whether there is too little free space to write logs.
    pub fn is_low(self) -> bool {
        self.free < self.least()
    }

    /// Whether there is room to write logs again after it was low: some more than the least, because each stop and each
    /// resumption costs a new segment and an event.
    pub fn has_recovered(self) -> bool {
        self.free >= self.least() + self.least() / 10
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
        let has_recovered = |free| {
            Space {
                free,
                size: 20 << 20,
            }
            .has_recovered()
        };
        assert!(!has_recovered(1 << 20));
        assert!(has_recovered(2 << 20));
    }
}
