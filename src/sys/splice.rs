//! Moving bytes from a terminal (or pipe) into a log without copying them through memory.
//!
//! They go through a pipe that keeper and daemon both hold. `splice(2)` removes bytes from one place only
//! once they are in the other. So whenever the keeper is killed, every byte is in the terminal, in the pipe
//! or in the log, and the next keeper continues with what it finds in the pipe.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};

/// Maximum number of bytes moved at once: the default capacity of a pipe on Linux, and what a session may write before
/// the next one has its turn.
pub const CHUNK: usize = 64 * 1024;

/// Maximum number of bytes that a terminal returns from one read: N_TTY_BUF_SIZE of the kernel, less one.
const TERMINAL_READ: usize = 4095;

/// The result of reading from a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// This many bytes are in the pipe now.
    Bytes(usize),
    /// There is nothing to read now.
    Nothing,
    /// Nobody has the other end open. Of a pipe, there will never be anything to read again; a terminal can be opened
    /// again.
    End,
}

/// The pipe. One pipe serves every session, because one thread moves one chunk at a time.
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

    /// Takes the reading and the writing end of a pipe that another process created.
    pub fn open(out: OwnedFd, into: OwnedFd) -> Self {
        Self { out, into }
    }

    /// Both ends, reading end first.
    pub fn ends(&self) -> [BorrowedFd<'_>; 2] {
        [self.out.as_fd(), self.into.as_fd()]
    }

    /// Moves up to `most` bytes from `source` into the empty pipe, one chunk at most. A terminal returns a
    /// page at a time, so it is read until it returns less: per-chunk work (waiting, writing, notifying) is
    /// then done once for many pages.
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
                // Any error will be reported again by the next call.
                _ if taken > 0 => break,
                Ok(_) | Err(Errno::IO) => return Ok(Taken::End),
                Err(Errno::AGAIN | Errno::INTR) => return Ok(Taken::Nothing),
                Err(error) if is_unsupported(error) => {
                    return self.take_through_memory(source, most);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Taken::Bytes(taken))
    }

    /// Fallback for kernels that cannot splice from a terminal. A keeper that is killed between the two
    /// calls loses the page that it has read.
    fn take_through_memory(&self, source: impl AsFd, most: usize) -> io::Result<Taken> {
        // An empty pipe has room for at least one page.
        let mut page = [0u8; 4096];
        let want = most.min(page.len());
        match rustix::io::read(source, &mut page[..want]) {
            Ok(0) | Err(Errno::IO) => Ok(Taken::End),
            Ok(bytes) => Ok(Taken::Bytes(rustix::io::write(&self.into, &page[..bytes])?)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Taken::Nothing),
            Err(error) => Err(error.into()),
        }
    }

    /// Number of bytes in the pipe: those that a keeper had taken but not written when it died.
    pub fn left(&self) -> io::Result<usize> {
        let bytes = rustix::io::ioctl_fionread(&self.out)?;
        Ok(usize::try_from(bytes).unwrap_or(CHUNK))
    }

    /// Moves `bytes` bytes from the pipe into `file` at `offset`. Returns how many were moved, and the
    /// error number if not all were.
    pub fn put(&self, file: impl AsFd, offset: u64, bytes: usize) -> (usize, Option<Errno>) {
        let mut at = offset;
        let mut put = 0;
        while put < bytes {
            let flags = SpliceFlags::empty();
            match splice(&self.out, None, &file, Some(&mut at), bytes - put, flags) {
                Ok(0) => return (put, Some(Errno::IO)),
                Ok(moved) => put += moved,
                Err(Errno::INTR) => {}
                Err(error) if is_unsupported(error) => {
                    let (more, refused) = self.put_through_memory(&file, at, bytes - put);
                    return (put + more, refused);
                }
                Err(error) => return (put, Some(error)),
            }
        }
        (put, None)
    }

    /// Fallback for file systems that cannot splice. A keeper that is killed meanwhile loses the bytes. What the file
    /// refuses is put back, behind what else is in the pipe; a caller who has more in it must discard all.
    fn put_through_memory(
        &self,
        file: impl AsFd,
        offset: u64,
        bytes: usize,
    ) -> (usize, Option<Errno>) {
        let mut memory = vec![0; bytes];
        let mut read = 0;
        while read < bytes {
            match rustix::io::read(&self.out, &mut memory[read..]) {
                Ok(0) | Err(Errno::AGAIN) => break,
                Ok(more) => read += more,
                Err(Errno::INTR) => {}
                Err(error) => return (0, Some(error)),
            }
        }
        let mut put = 0;
        let refused = loop {
            if put == read {
                break (read < bytes).then_some(Errno::IO);
            }
            match rustix::io::pwrite(&file, &memory[put..read], offset + put as u64) {
                Ok(0) => break Some(Errno::IO),
                Ok(more) => put += more,
                Err(Errno::INTR) => {}
                Err(error) => break Some(error),
            }
        };
        let mut rest = &memory[put..read];
        while let Ok(back @ 1..) = rustix::io::write(&self.into, rest) {
            rest = &rest[back..];
        }
        (put, refused)
    }

    /// Discards `bytes` bytes of the pipe.
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

/// Whether this error of splice(2) may mean that it is not possible here: for this file system, in this kernel, or
/// under a filter of system calls.
fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::PERM)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read;

    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    #[test]
    fn moves_terminal_output_to_an_offset_of_the_log() {
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
        // A program that another test starts just now has the descriptor until it is executed.
        let mut hung_up = [PollFd::new(&pty.master, PollFlags::empty())];
        let deadline = rustix::event::Timespec {
            tv_sec: 10,
            tv_nsec: 0,
        };
        assert_eq!(poll(&mut hung_up, Some(&deadline)).unwrap(), 1);
        assert_eq!(pipe.take(&pty.master, CHUNK).unwrap(), Taken::End);
    }

    #[test]
    fn a_file_that_cannot_be_spliced_into_is_written() {
        let pipe = SplicePipe::create().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        // splice(2) refuses a file that is opened to append.
        let log = std::fs::File::options()
            .append(true)
            .create(true)
            .open(&path)
            .unwrap();
        rustix::io::write(&pipe.into, b"hello").unwrap();
        assert_eq!(pipe.put(&log, 0, 5), (5, None));
        assert_eq!(std::fs::read(&path).unwrap(), b"hello");
        // What is refused stays in the pipe.
        let closed = std::fs::File::open(&path).unwrap();
        rustix::io::write(&pipe.into, b"again").unwrap();
        let (put, refused) = pipe.put_through_memory(&closed, 5, 5);
        assert_eq!((put, refused), (0, Some(Errno::BADF)));
        assert_eq!(pipe.left().unwrap(), 5);
        assert_eq!(pipe.put(&log, 5, 5), (5, None));
        assert_eq!(std::fs::read(&path).unwrap(), b"helloagain");
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
    fn bytes_that_the_log_refuses_stay_in_the_pipe() {
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
