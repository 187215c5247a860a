//! The buffer of lines for standard output.
//!
//! Standard output stays in blocking mode, so each write asks the kernel not to block. Where that is not
//! supported (files, older systems), output is written in pieces of at most `PIPE_BUF` bytes, which do not
//! block right after poll(2) has reported room.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Number of bytes that a pipe takes without blocking once poll(2) reports it writable (pipe(7)).
const PIPE_BUF: usize = 4096;

/// Number of written bytes that stay at the front of the buffer before the rest is moved up, so that a slow
/// reader causes little copying.
const SLACK: usize = 1 << 20;

/// A buffer of whole lines.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    written: usize,
}

impl Outbox {
    /// A buffer that already contains `bytes`.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, written: 0 }
    }

    /// Adds whole lines.
    pub fn push(&mut self, lines: &[u8]) {
        self.bytes.extend_from_slice(lines);
    }

    /// Adds whole lines and may empty `lines`: if the buffer is empty, the two are swapped, so that a long
    /// reply is not copied.
    pub fn push_from(&mut self, lines: &mut Vec<u8>) {
        if self.bytes.is_empty() {
            std::mem::swap(&mut self.bytes, lines)
        } else {
            self.push(lines)
        }
    }

    /// Number of bytes still to be written.
    pub fn pending(&self) -> usize {
        self.bytes.len() - self.written
    }

    /// Writes as much as `out` takes without blocking.
    pub fn write_to(&mut self, out: &impl AsFd) -> Result<(), Errno> {
        while self.pending() > 0 {
            match write_some(out, &self.bytes[self.written..]) {
                Ok(Some(count)) => self.written += count,
                Err(Errno::INTR) => {}
                Ok(None) | Err(Errno::AGAIN) => break,
                // A terminal that is gone counts as a reader that is gone.
                Err(Errno::IO) => return Err(Errno::PIPE),
                Err(errno) => return Err(errno),
            }
        }
        if self.pending() == 0 || self.written > SLACK {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }

    /// Takes the bytes still to be written, for a writer that may block.
    pub fn take(&mut self) -> Vec<u8> {
        let rest = self.bytes.split_off(self.written);
        *self = Self::default();
        rest
    }
}

/// Writes as much as there is room for; `None` if there is no room.
fn write_some(out: &impl AsFd, bytes: &[u8]) -> Result<Option<usize>, Errno> {
    if let Some(count) = write_without_blocking(out, bytes) {
        return Ok(Some(count));
    }
    if !writable(out)? {
        return Ok(None);
    }
    let piece = &bytes[..bytes.len().min(PIPE_BUF)];
    rustix::io::write(out, piece).map(Some)
}

/// pwritev2(2) with `RWF_NOWAIT`, at the file's own position. Linux supports it for pipes since 6.5. `None`
/// if it failed for any reason.
#[cfg(target_os = "linux")]
fn write_without_blocking(out: &impl AsFd, bytes: &[u8]) -> Option<usize> {
    const OWN_POSITION: u64 = u64::MAX;
    let pieces = [std::io::IoSlice::new(bytes)];
    let flags = rustix::io::ReadWriteFlags::NOWAIT;
    rustix::io::pwritev2(out, &pieces, OWN_POSITION, flags).ok()
}

#[cfg(not(target_os = "linux"))]
fn write_without_blocking(_: &impl AsFd, _: &[u8]) -> Option<usize> {
    None
}

fn writable(out: &impl AsFd) -> Result<bool, Errno> {
    let mut fds = [PollFd::new(out, PollFlags::OUT)];
    poll(&mut fds, Some(&Timespec::default()))?;
    Ok(fds[0].revents().contains(PollFlags::OUT))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_full_pipe_does_not_block_and_nothing_is_lost() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let text: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
        let (mut outbox, mut seen) = (Outbox::new(text[..5].to_vec()), Vec::new());
        outbox.push(&text[5..]);
        while outbox.pending() > 0 {
            let before = outbox.pending();
            outbox.write_to(&writer).unwrap();
            let count = before - outbox.pending();
            assert!(count > 0, "no progress on an empty pipe");
            let mut piece = vec![0; count];
            reader.read_exact(&mut piece).unwrap();
            seen.extend(piece);
        }
        assert!(seen == text);
        drop(reader);
        outbox.push(b"x");
        assert_eq!(outbox.write_to(&writer), Err(Errno::PIPE));
    }
}
