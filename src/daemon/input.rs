//! Writing into a session, in the order of the requests, never blocking another.

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::io::Errno;
use tokio::io::Interest;
use tokio::sync::{Mutex, MutexGuard};

use crate::sys::readiness;

/// A program that has not read anything for so long is not reading.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes that may wait for a program at most.
pub(super) const MAX_WAITING: usize = 1 << 20;

/// A session's input: PTY master or stdin pipe.
pub(super) struct Input {
    fd: OwnedFd,
    /// Held by the writer whose turn it is; tokio's mutex is first come, first served.
    turn: Mutex<()>,
    waiting: Cell<usize>,
}

/// What became of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Taken {
    /// Bytes that the kernel took.
    pub(super) bytes: usize,
    /// Whether it did not take all, because the program does not read.
    pub(super) stuffed: bool,
}

impl Input {
    pub(super) fn new(fd: OwnedFd) -> Self {
        Self {
            fd,
            turn: Mutex::new(()),
            waiting: Cell::new(0),
        }
    }

    /// Bytes that wait for the program.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.get()
    }

    /// Announces bytes that will wait for their turn.
    pub(super) fn announce(&self, bytes: usize) -> Waiting<'_> {
        Waiting::new(&self.waiting, bytes)
    }

    /// Waits until everybody who came before has written. Held over several
    /// writes, it keeps them together.
    pub(super) async fn turn(&self) -> Turn<'_> {
        Turn {
            input: self,
            _held: self.turn.lock().await,
        }
    }

    /// False if there is none in time. The descriptor is watched only while
    /// somebody waits for room, so that a busy terminal wakes nobody.
    async fn wait_for_room(&self) -> io::Result<bool> {
        let fd = readiness::watch(self.fd.try_clone()?, Interest::WRITABLE)?;
        match tokio::time::timeout(PATIENCE, fd.writable()).await {
            Ok(ready) => ready.map(|_| true),
            Err(_) => Ok(false),
        }
    }
}

/// The right to write now.
pub(super) struct Turn<'a> {
    input: &'a Input,
    _held: MutexGuard<'a, ()>,
}

impl Turn<'_> {
    /// Writes all of `bytes`; returns once the kernel has them, or the program
    /// has not read for a while.
    pub(super) async fn write(&self, bytes: &[u8]) -> io::Result<Taken> {
        let mut taken = 0;
        while taken < bytes.len() {
            match rustix::io::write(&self.input.fd, &bytes[taken..]) {
                Ok(written) => taken += written,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if !self.input.wait_for_room().await? {
                        let stuffed = true;
                        return Ok(Taken {
                            bytes: taken,
                            stuffed,
                        });
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Taken {
            bytes: taken,
            stuffed: false,
        })
    }
}

impl AsFd for Input {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Counts bytes as waiting for as long as it lives.
pub(super) struct Waiting<'a> {
    count: &'a Cell<usize>,
    bytes: usize,
}

impl<'a> Waiting<'a> {
    fn new(count: &'a Cell<usize>, bytes: usize) -> Self {
        count.set(count.get() + bytes);
        Self { count, bytes }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.set(self.count.get() - self.bytes);
    }
}
