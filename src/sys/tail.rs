//! The newest output of a job whose log cannot be written: a ring in memory
//! that keeper and daemon share.
//!
//! A byte lies at its offset modulo the size of the ring. The keeper writes
//! before it publishes the new end on the table, one chunk at most; so what a
//! reader has copied is whole if it lies no farther than [`KEPT`] before the end
//! that the table shows afterwards.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::io::pread;

use super::splice::CHUNK;

/// Bytes before the end that can be read.
pub const KEPT: u64 = 64 * 1024;

const RING: u64 = KEPT + CHUNK as u64;

/// The ring.
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

    /// The ring behind a descriptor that another process has sent.
    pub fn open(memory: OwnedFd) -> Self {
        Self { memory }
    }

    /// The same ring once more.
    pub fn try_clone(&self) -> io::Result<Self> {
        let memory = self.memory.try_clone()?;
        Ok(Self { memory })
    }

    /// The parts of the ring, in order, where the bytes of `offsets` lie: as
    /// position in the ring and length. There is room for one chunk at a time.
    pub fn parts(offsets: Range<u64>) -> impl Iterator<Item = (u64, usize)> {
        let mut at = offsets.start;
        std::iter::from_fn(move || {
            let place = at % RING;
            let length = (offsets.end - at).min(RING - place);
            at += length;
            (length > 0).then_some((place, usize::try_from(length).unwrap_or(usize::MAX)))
        })
    }

    /// Appends the bytes of `offsets`, which must lie within [`KEPT`] of the end.
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
    fn bytes_are_found_where_they_were_put_also_across_the_seam() {
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
