//! Free disk space for logs. When it is low, only the newest output is kept, in memory.

use std::path::PathBuf;

use crate::sys::clock;
use crate::sys::disk::Space;

/// Free space is measured again after this many bytes of output.
const LOOK_BYTES: u64 = 4 << 20;

/// While space is low, it is also measured again after this many milliseconds.
const LOOK_MS: u64 = 1000;

/// The file system that holds the logs.
#[derive(Debug)]
pub(super) struct Disk {
    place: PathBuf,
    /// Bytes written since the last measurement.
    bytes: u64,
    /// Time of the last measurement, in boot-time milliseconds.
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

    /// Counts bytes that are about to be written. Returns why they should not be written, if space is low.
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
        // If free space cannot be measured, bytes are written until the disk refuses them.
        let was_low = self.low.is_some();
        let low = Space::of(&self.place).ok();
        let low = low.filter(|space| {
            if was_low {
                !space.has_recovered()
            } else {
                space.is_low()
            }
        });
        self.low = low.map(|space| format!("only {} MiB of disk are free", space.free >> 20));
    }
}
