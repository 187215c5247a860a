//! How much room there is for logs. Where it is too little, only the newest output
//! is kept, in memory.

use std::path::PathBuf;

use crate::sys::clock;
use crate::sys::disk::Space;

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
        let low = Space::of(&self.place).ok().filter(|space| space.is_low());
        self.low = low.map(|space| format!("only {} MiB of disk are free", space.free >> 20));
    }
}
