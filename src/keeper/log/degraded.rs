//! What a log has of the bytes that the disk refuses: why it does, and the newest of them in memory.

use std::ops::Range;

use crate::sys::splice::SplicePipe;
use crate::sys::tail::{KEPT, Tail};

/// The state of a log while the disk refuses its bytes.
#[derive(Debug)]
pub(super) struct Degraded {
    pub(super) reason: String,
    /// Offset from which on nothing is saved.
    pub(super) since: u64,
    /// The newest of these bytes; `None` if there was no memory for them either.
    pub(super) tail: Option<Tail>,
    /// Time of the next attempt, in boot-time milliseconds.
    pub(super) retry_at: u64,
}

impl Degraded {
    /// Moves the bytes of `offsets` from the splice pipe into the tail. Returns how many were not moved.
    pub(super) fn put(&self, pipe: &SplicePipe, offsets: Range<u64>) -> usize {
        let mut left = usize::try_from(offsets.end - offsets.start).unwrap_or(usize::MAX);
        if let Some(tail) = &self.tail {
            for (place, length) in Tail::parts(offsets) {
                let (put, refused) = pipe.put(tail, place, length);
                left -= put;
                if refused.is_some() {
                    break;
                }
            }
        }
        left
    }

    /// The bytes before `end` that are still in memory.
    pub(super) fn newest(&self, end: u64) -> Vec<u8> {
        let start = end.saturating_sub(KEPT).max(self.since);
        let mut bytes = Vec::new();
        let tail = self.tail.as_ref();
        let read = tail.is_some_and(|tail| tail.read(start..end, &mut bytes).is_ok());
        if !read {
            bytes.clear();
        }
        bytes
    }
}
