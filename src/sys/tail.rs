//! The newest output of a job whose log cannot be written: a ring buffer that keeper and daemon share.
//!
//! A byte is stored at its offset modulo the size of the ring. The keeper writes at most one chunk before
//! it publishes the new end in the shared table. A copy is therefore valid if it lies within [`KEPT`] bytes
//! before the end that the table shows after copying.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::io::pread;

use super::splice::CHUNK;

/// Number of bytes before the end that can be read.
pub const KEPT: u64 = 64 * 1024;

const RING: u64 = KEPT + CHUNK as u64;

/// The ring buffer.
#[derive(Debug)]
pub struct Tail {
    memory: OwnedFd,
}

impl Tail {
    /// An empty ring.
    pub fn create() -> io::Result<Self> {
        let memory = memfd_create("bgproc-tail", MemfdFlags::CLOEXEC)?;
        ftruncate(&memory, RING)?;
        Ok(Self { memory })
    }

    /// Wraps the ring behind a descriptor that another process sent.
    pub fn open(memory: OwnedFd) -> Self {
        Self { memory }
    }

    /// Another handle on the same ring.
    pub fn try_clone(&self) -> io::Result<Self> {
        let memory = self.memory.try_clone()?;
        Ok(Self { memory })
    }

    /// The parts of the ring that hold the bytes of `offsets`, in order, as position and length. `offsets`
    /// may span one chunk at most when writing.
    pub fn parts(offsets: Range<u64>) -> impl Iterator<Item = (u64, usize)> {
        let mut at = offsets.start;
        std::iter::from_fn(move || {
            let place = at % RING;
            let length = (offsets.end - at).min(RING - place);
            at += length;
            (length > 0).then_some((place, usize::try_from(length).unwrap_or(usize::MAX)))
        })
    }

    /// Appends the bytes of `offsets` to `into`. They must lie within [`KEPT`] of the end.
    pub fn read(&self, offsets: Range<u64>, into: &mut Vec<u8>) -> io::Result<()> {
        for (place, length) in Self::parts(offsets) {
            let old = into.len();
            into.resize(old + length, 0);
            let read = pread(&self.memory, &mut into[old..], place);
            into.truncate(old + *read.as_ref().unwrap_or(&0));
            if read? < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}

impl From<Tail> for OwnedFd {
    fn from(tail: Tail) -> Self {
        tail.memory
    }
}

impl AsFd for Tail {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.memory.as_fd()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_bytes_across_the_end_of_the_ring() {
        let tail = Tail::create().unwrap();
        let start = 3 * RING - 3;
        for (n, (place, length)) in Tail::parts(start..start + 6).enumerate() {
            let bytes = [b"abc", b"def"][n];
            assert_eq!(length, 3);
            rustix::io::pwrite(&tail, bytes, place).unwrap();
        }
        let mut text = Vec::new();
        tail.read(start..start + 6, &mut text).unwrap();
        assert_eq!(text, b"abcdef");
        assert_eq!(Tail::parts(5..5).count(), 0);
    }
}
