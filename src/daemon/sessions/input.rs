//! Writing into a session, in the order of the requests, never blocking another.

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::io::Errno;
use tokio::io::Interest;
use tokio::sync::{Mutex, MutexGuard, Notify};
use tokio::time::Instant;

use crate::sys::{pty, readiness};

/// A program that has taken nothing for so long is not reading. Those that come
/// later do not wait again for what has been waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// What leaves nothing of a line in a cooked terminal: line feed and Enter, `^D`,
/// which hands it over, and `^C`, `^\\`, `^Z` and `^U`, which discard it.
const ENDS_LINE: [u8; 7] = [b'\n', b'\r', 0x04, 0x03, 0x1c, 0x1a, 0x15];

/// Bytes that may wait for a program at most.
pub(crate) const MAX_WAITING: usize = 1 << 20;

/// A session's input: PTY master or stdin pipe.
pub(crate) struct Input {
    fd: OwnedFd,
    /// Held by the writer whose turn it is; tokio's mutex is first come, first served.
    turn: Mutex<()>,
    waiting: Cell<usize>,
    /// Since when there has been no room.
    full_since: Cell<Option<Instant>>,
    /// Whether the writer whose turn it is waits for room.
    stuck: Cell<bool>,
    /// How often what waited was discarded.
    discarded: Cell<u64>,
    discard: Notify,
    /// Whether what was typed last is a line that has no end yet.
    in_line: Cell<bool>,
}

/// What became of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    /// Bytes that the kernel took.
    pub(crate) bytes: usize,
    /// Whether it did not take all: the program does not read, or has been
    /// interrupted meanwhile.
    pub(crate) stuffed: bool,
}

impl Input {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self {
            fd,
            turn: Mutex::new(()),
            waiting: Cell::new(0),
            full_since: Cell::new(None),
            stuck: Cell::new(false),
            discarded: Cell::new(0),
            discard: Notify::new(),
            in_line: Cell::new(false),
        }
    }

    /// Whether what was typed last, by whomever, is a line that has no end yet.
    pub(crate) fn in_line(&self) -> bool {
        self.in_line.get()
    }

    /// Bytes that wait for the program.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.get()
    }

    /// Bytes that the kernel has and the program has not read.
    pub(crate) fn unread(&self) -> Option<u64> {
        pty::unread_input(&self.fd)
    }

    /// Announces bytes that will wait for their turn.
    pub(crate) fn announce(&self, bytes: usize) -> Waiting<'_> {
        Waiting::new(&self.waiting, bytes)
    }

    /// Waits until everybody who came before has written. Held over several
    /// writes, it keeps them together.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        let discarded = self.discarded.get();
        Turn {
            input: self,
            discarded,
            _held: self.turn.lock().await,
        }
    }

    /// Interrupts the program by the characters that `bytes` begin with, if they
    /// would otherwise lie behind input that nobody reads. Says how many they are.
    ///
    /// The terminal raises the signal when it comes to the character, which it
    /// does not while its buffer is full. So the signal is sent, and what waits is
    /// discarded as the terminal would have discarded it.
    pub(crate) fn interrupt(&self, bytes: &[u8]) -> usize {
        let Ok(line) = pty::line_discipline(&self.fd) else {
            return 0;
        };
        let signals: Vec<_> = bytes.iter().map_while(|&b| line.signal(b)).collect();
        if signals.is_empty() || !self.is_stuffed() {
            return 0;
        }
        // Before the signal: a program that goes on at once must not find any of it.
        if line.discards {
            self.discarded.set(self.discarded.get() + 1);
            self.discard.notify_waiters();
            self.in_line.set(false);
            pty::discard_input(&self.fd);
        }
        for &signal in &signals {
            if pty::raise(&self.fd, signal).is_err() {
                return 0;
            }
        }
        signals.len()
    }

    /// Whether what is typed now would lie behind what the program does not read.
    /// Between the writes of one turn it has to wait for the rest of them instead.
    fn is_stuffed(&self) -> bool {
        let free = self.turn.try_lock().is_ok();
        self.stuck.get() || (free && self.unread().is_some_and(|bytes| bytes > 0))
    }

    /// False if there is none in time. The descriptor is watched only while
    /// somebody waits for room, so that a busy terminal wakes nobody.
    async fn wait_for_room(&self) -> io::Result<bool> {
        let since = self.full_since.get().unwrap_or_else(Instant::now);
        self.full_since.set(Some(since));
        let fd = readiness::watch(self.fd.try_clone()?, Interest::WRITABLE)?;
        let _stuck = Stuck::new(&self.stuck);
        tokio::select! {
            biased;
            () = self.discard.notified() => Ok(true),
            ready = fd.writable() => ready.map(|_| true),
            () = tokio::time::sleep_until(since + PATIENCE) => Ok(false),
        }
    }
}

/// The right to write now.
pub(crate) struct Turn<'a> {
    input: &'a Input,
    /// What was asked for before an interrupt goes with it.
    discarded: u64,
    _held: MutexGuard<'a, ()>,
}

impl Turn<'_> {
    /// Writes all of `bytes`; returns once the kernel has them, or the program
    /// has not read for a while.
    pub(crate) async fn write(&self, bytes: &[u8]) -> io::Result<Taken> {
        let mut taken = 0;
        while taken < bytes.len() {
            if self.discarded != self.input.discarded.get() {
                break;
            }
            match rustix::io::write(&self.input.fd, &bytes[taken..]) {
                Ok(written) => {
                    taken += written;
                    self.input.full_since.set(None);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if !self.input.wait_for_room().await? {
                        break;
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(last) = bytes[..taken].last() {
            self.input.in_line.set(!ENDS_LINE.contains(last));
        }
        Ok(Taken {
            bytes: taken,
            stuffed: taken < bytes.len(),
        })
    }
}

/// Says that somebody waits for room, for as long as it lives.
struct Stuck<'a>(&'a Cell<bool>);

impl<'a> Stuck<'a> {
    fn new(stuck: &'a Cell<bool>) -> Self {
        stuck.set(true);
        Self(stuck)
    }
}

impl Drop for Stuck<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl AsFd for Input {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Counts bytes as waiting for as long as it lives.
pub(crate) struct Waiting<'a> {
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
