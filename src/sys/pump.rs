//! Bytes from a terminal (or pipe) into a log, without a detour through memory.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};

/// Bytes moved at most in one go: what a pipe holds by default on Linux, and
/// what a session may write before the next one has its turn.
pub const CHUNK: usize = 64 * 1024;

/// What one go has moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moved {
    /// So many bytes are in the log, and none were lost.
    Saved(usize),
    /// The log took only the first `saved` bytes of those that were read.
    Refused {
        /// Bytes in the log.
        saved: usize,
        /// Bytes read and gone.
        lost: usize,
        /// Why: the system's error number.
        errno: i32,
    },
    /// There is nothing to read now.
    Nothing,
    /// There will never be anything to read again.
    End,
}

/// The pipe through which bytes are spliced. One serves every session, since
/// one thread moves one chunk at a time.
#[derive(Debug)]
pub struct Pump {
    out: OwnedFd,
    into: OwnedFd,
}

impl Pump {
    /// Makes the pipe.
    pub fn new() -> io::Result<Self> {
        let (out, into) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        // A smaller pipe only means smaller chunks.
        let _ = fcntl_setpipe_size(&into, CHUNK);
        Ok(Self { out, into })
    }

    /// Moves what is there, `CHUNK` at most, from `source` to `log` at `offset`.
    pub fn run(&self, source: impl AsFd, log: Option<&File>, offset: u64) -> io::Result<Moved> {
        let read = match splice(
            &source,
            None,
            &self.into,
            None,
            CHUNK,
            SpliceFlags::NONBLOCK,
        ) {
            Ok(0) | Err(Errno::IO) => return Ok(Moved::End),
            Ok(read) => read,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(Moved::Nothing),
            Err(error) => return Err(error.into()),
        };
        let Some(log) = log else {
            return self.give_up(read, read, Errno::NOSPC);
        };
        let mut at = offset;
        let mut left = read;
        while left > 0 {
            match splice(
                &self.out,
                None,
                log,
                Some(&mut at),
                left,
                SpliceFlags::empty(),
            ) {
                Ok(moved) if moved > 0 => left -= moved,
                Err(Errno::INTR) => {}
                Ok(_) => return self.give_up(read, left, Errno::IO),
                Err(error) => return self.give_up(read, left, error),
            }
        }
        Ok(Moved::Saved(read))
    }

    /// The log refused: what it did not take is gone from the pipe, too.
    fn give_up(&self, read: usize, left: usize, error: Errno) -> io::Result<Moved> {
        self.discard(left)?;
        Ok(Moved::Refused {
            saved: read - left,
            lost: left,
            errno: error.raw_os_error(),
        })
    }

    fn discard(&self, mut left: usize) -> io::Result<()> {
        let mut scratch = [0u8; 4096];
        while left > 0 {
            let want = left.min(scratch.len());
            match rustix::io::read(&self.out, &mut scratch[..want]) {
                Ok(0) | Err(Errno::AGAIN) => break,
                Ok(read) => left -= read,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_a_terminal_shows_is_in_the_log_at_its_offset() {
        let pump = Pump::new().unwrap();
        let pty = crate::sys::pty::open(24, 80).unwrap();
        let log = tempfile::tempfile().unwrap();
        rustix::io::write(&pty.slave, b"hello\n").unwrap();
        assert_eq!(
            pump.run(&pty.master, Some(&log), 3).unwrap(),
            Moved::Saved(7)
        );
        assert_eq!(
            pump.run(&pty.master, Some(&log), 10).unwrap(),
            Moved::Nothing
        );
        let mut text = Vec::new();
        (&log).read_to_end(&mut text).unwrap();
        assert_eq!(text, b"\0\0\0hello\r\n");
        drop(pty.slave);
        assert_eq!(pump.run(&pty.master, Some(&log), 10).unwrap(), Moved::End);
    }

    #[test]
    fn a_log_that_refuses_loses_the_bytes_and_says_so() {
        let pump = Pump::new().unwrap();
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writer, b"abc").unwrap();
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let moved = pump.run(&reader, Some(&full), 0).unwrap();
        assert!(
            matches!(
                moved,
                Moved::Refused {
                    saved: 0,
                    lost: 3,
                    ..
                }
            ),
            "{moved:?}"
        );
        rustix::io::write(&writer, b"def").unwrap();
        let log = tempfile::tempfile().unwrap();
        assert_eq!(pump.run(&reader, Some(&log), 0).unwrap(), Moved::Saved(3));
    }
}
