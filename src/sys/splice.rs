//! Bytes from a terminal (or pipe) into a log, without a detour through memory.
//!
//! They go through a pipe that keeper and daemon both hold. `splice(2)` takes
//! bytes out of one place only when it has put them into the other, so whenever
//! the keeper is killed, every byte is in the terminal, in the pipe or in the
//! log, and the next keeper goes on with what it finds in the pipe.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};

/// Bytes moved at most in one go: what a pipe holds by default on Linux, and
/// what a session may write before the next one has its turn.
pub const CHUNK: usize = 64 * 1024;

/// Bytes that a terminal hands out at once, if it has them: N_TTY_BUF_SIZE of the
/// kernel, less one.
const TERMINAL_READ: usize = 4095;

/// What was there to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// So many bytes are in the pipe now.
    Bytes(usize),
    /// There is nothing to read now.
    Nothing,
    /// There will never be anything to read again.
    End,
}

/// The pipe. One serves every session, since one thread moves one chunk at a time.
#[derive(Debug)]
pub struct SplicePipe {
    out: OwnedFd,
    into: OwnedFd,
}

impl SplicePipe {
    /// Makes the pipe.
    pub fn create() -> io::Result<Self> {
        let (out, into) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        // A smaller pipe only means smaller chunks.
        let _ = fcntl_setpipe_size(&into, CHUNK);
        Ok(Self { out, into })
    }

    /// The pipe that another process has made: its reading and its writing end.
    pub fn open(out: OwnedFd, into: OwnedFd) -> Self {
        Self { out, into }
    }

    /// Both ends, reading end first.
    pub fn ends(&self) -> [BorrowedFd<'_>; 2] {
        [self.out.as_fd(), self.into.as_fd()]
    }

    /// Takes what `source` has, `most` bytes of it and one chunk at most, into the
    /// empty pipe. A terminal hands out a page at a time, so it is asked until it gives
    /// less: everything that is done once a chunk (waiting, writing, ringing) is then
    /// done for many pages.
    pub fn take(&self, source: impl AsFd, most: usize) -> io::Result<Taken> {
        let most = most.min(CHUNK);
        let mut taken = 0;
        while taken < most {
            let want = most - taken;
            match splice(&source, None, &self.into, None, want, SpliceFlags::NONBLOCK) {
                Ok(bytes @ 1..) => {
                    taken += bytes;
                    if bytes < TERMINAL_READ {
                        break;
                    }
                }
                // Whatever it is, it is said again the next time.
                _ if taken > 0 => break,
                Ok(_) | Err(Errno::IO) => return Ok(Taken::End),
                Err(Errno::AGAIN | Errno::INTR) => return Ok(Taken::Nothing),
                Err(Errno::INVAL) => return self.take_through_memory(source, most),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Taken::Bytes(taken))
    }

    /// For kernels that refuse to splice from a terminal. A keeper that is
    /// killed between the two calls loses the page that it has read.
    fn take_through_memory(&self, source: impl AsFd, most: usize) -> io::Result<Taken> {
        // An empty pipe has room for a page, however small it is.
        let mut page = [0u8; 4096];
        let want = most.min(page.len());
        match rustix::io::read(source, &mut page[..want]) {
            Ok(0) | Err(Errno::IO) => Ok(Taken::End),
            Ok(bytes) => Ok(Taken::Bytes(rustix::io::write(&self.into, &page[..bytes])?)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Taken::Nothing),
            Err(error) => Err(error.into()),
        }
    }

    /// Bytes in the pipe: what a keeper had taken and not put anywhere when it died.
    pub fn left(&self) -> io::Result<usize> {
        let bytes = rustix::io::ioctl_fionread(&self.out)?;
        Ok(usize::try_from(bytes).unwrap_or(CHUNK))
    }

    /// Puts so many bytes of the pipe into `file` at `offset`. Returns how many
    /// it took, and why not all: the system's error number.
    pub fn put(&self, file: impl AsFd, offset: u64, bytes: usize) -> (usize, Option<Errno>) {
        let mut at = offset;
        let mut put = 0;
        while put < bytes {
            let flags = SpliceFlags::empty();
            match splice(&self.out, None, &file, Some(&mut at), bytes - put, flags) {
                Ok(0) => return (put, Some(Errno::IO)),
                Ok(moved) => put += moved,
                Err(Errno::INTR) => {}
                Err(error) => return (put, Some(error)),
            }
        }
        (put, None)
    }

    /// Throws so many bytes of the pipe away.
    pub fn discard(&self, bytes: usize) {
        let mut scratch = [0u8; 4096];
        let mut left = bytes;
        while left > 0 {
            let want = left.min(scratch.len());
            match rustix::io::read(&self.out, &mut scratch[..want]) {
                Ok(0) => break,
                Ok(read) => left -= read,
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_a_terminal_shows_is_in_the_log_at_its_offset() {
        let pipe = SplicePipe::create().unwrap();
        let pty = crate::sys::pty::open(24, 80).unwrap();
        let log = tempfile::tempfile().unwrap();
        rustix::io::write(&pty.slave, b"hello\n").unwrap();
        assert_eq!(pipe.take(&pty.master, CHUNK).unwrap(), Taken::Bytes(7));
        assert_eq!(pipe.left().unwrap(), 7);
        assert_eq!(pipe.put(&log, 3, 7), (7, None));
        assert_eq!(pipe.take(&pty.master, CHUNK).unwrap(), Taken::Nothing);
        let mut text = Vec::new();
        (&log).read_to_end(&mut text).unwrap();
        assert_eq!(text, b"\0\0\0hello\r\n");
        drop(pty.slave);
        assert_eq!(pipe.take(&pty.master, CHUNK).unwrap(), Taken::End);
    }

    #[test]
    fn a_terminal_that_has_many_pages_is_emptied_in_few_turns() {
        let pipe = SplicePipe::create().unwrap();
        let pty = crate::sys::pty::open(24, 80).unwrap();
        let log = tempfile::tempfile().unwrap();
        let text = vec![b'x'; 32 * 1024];
        rustix::io::ioctl_fionbio(&pty.slave, true).unwrap();
        let written = rustix::io::write(&pty.slave, &text).unwrap();
        assert!(written > 2 * TERMINAL_READ, "{written}");
        let (mut end, mut turns) = (0, 0);
        while let Taken::Bytes(bytes) = pipe.take(&pty.master, CHUNK).unwrap() {
            assert_eq!(pipe.put(&log, end as u64, bytes), (bytes, None));
            (end, turns) = (end + bytes, turns + 1);
        }
        assert_eq!(end, written);
        assert!(turns <= 2, "{turns} turns for {written} bytes");
    }

    #[test]
    fn a_source_that_cannot_be_spliced_is_read() {
        let pipe = SplicePipe::create().unwrap();
        let flags = rustix::event::EventfdFlags::NONBLOCK;
        let source = rustix::event::eventfd(7, flags).unwrap();
        assert_eq!(pipe.take(&source, CHUNK).unwrap(), Taken::Bytes(8));
        let log = tempfile::tempfile().unwrap();
        assert_eq!(pipe.put(&log, 0, 8), (8, None));
        assert_eq!(pipe.take(&source, CHUNK).unwrap(), Taken::Nothing);
    }

    #[test]
    fn a_log_that_refuses_leaves_the_bytes_in_the_pipe() {
        let pipe = SplicePipe::create().unwrap();
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writer, b"abcdef").unwrap();
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        assert_eq!(pipe.take(&reader, CHUNK).unwrap(), Taken::Bytes(6));
        let (put, why) = pipe.put(&full, 0, 6);
        assert_eq!((put, why.is_some()), (0, true));
        pipe.discard(3);
        let log = tempfile::tempfile().unwrap();
        assert_eq!(pipe.put(&log, 0, 3), (3, None));
        assert_eq!(pipe.left().unwrap(), 0);
    }
}
