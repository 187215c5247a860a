//! The right to write to a program, and what a write does.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use rustix::io::Errno;
use tokio::io::Interest;
use tokio::sync::MutexGuard;
use tokio::time::Instant;

use super::{Input, Waiting};
use crate::engine::input::ENDS_LINE;
use crate::sys::{pty, readiness};

/// A program that has taken nothing for this long counts as not reading. The time runs since the buffer became
/// full, so that later writers do not wait again.
const PATIENCE: Duration = Duration::from_secs(1);

/// [`PATIENCE`] for the input of a `start`, while nobody else wants to type. Interpreters and compilers may need several
/// seconds before they read.
pub(crate) const FIRST_PATIENCE: Duration = Duration::from_secs(30);

/// The character that interrupts a program, `^C`. A shell that reads a line ignores `^\\` and `^Z`.
const INTERRUPT: u8 = 0x03;

/// Enter, `^C` and `^U` in the kitty keyboard protocol: they end a line, as [`ENDS_LINE`] does.
const ENDS_LINE_AS_KEY: [&[u8]; 3] = [b"\x1b[13u", b"\x1b[99;5u", b"\x1b[117;5u"];

/// The start of a line that somebody has typed.
#[derive(Clone, Copy)]
pub(crate) struct OpenLine {
    /// The process group that was in the foreground of the terminal then; `None` for a pipe.
    pub(crate) foreground: Option<u32>,
    /// When the last of it was typed.
    pub(crate) at: Instant,
}

/// Whether no partial line is left behind these bytes.
fn ends_line(bytes: &[u8]) -> bool {
    let last = bytes.last();
    last.is_some_and(|last| ENDS_LINE.contains(last))
        || ENDS_LINE_AS_KEY.iter().any(|key| bytes.ends_with(key))
}

/// The result of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    /// Bytes that the kernel took.
    pub(crate) bytes: usize,
    /// Whether the kernel did not take all bytes: the program does not read, or was interrupted meanwhile.
    pub(crate) stuffed: bool,
}

/// The right to write.
pub(crate) struct TypingTurn<'a> {
    input: &'a Input,
    /// Number of discards when the turn was requested. An interrupt after that also discards this turn's bytes.
    discarded: u64,
    /// How long the program may take nothing before the rest is not written.
    patience: Duration,
    _held: MutexGuard<'a, ()>,
}

impl Input {
    /// Waits until all earlier writers are done. Holding the turn over several writes keeps them together.
    pub(crate) async fn turn(&self) -> TypingTurn<'_> {
        let discarded = self.discarded.get();
        let queued = Waiting::new(&self.queued, 1);
        self.queue.notify_waiters();
        let held = self.turn.lock().await;
        drop(queued);
        TypingTurn {
            input: self,
            discarded,
            patience: PATIENCE,
            _held: held,
        }
    }
}

impl TypingTurn<'_> {
    /// The same turn for a program that may take nothing for `patience`.
    pub(crate) fn patient(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Types all of `bytes`. Returns once the kernel has them, or the program has read nothing for too long.
    pub(crate) async fn write(&self, bytes: &[u8]) -> io::Result<Taken> {
        all(bytes, async |rest| self.write_some(rest).await).await
    }

    /// Types as much of `bytes` as there is room for. If there is none, waits for it and types nothing yet, because the
    /// program may have changed its terminal meanwhile; or the program has read nothing for too long.
    pub(crate) async fn write_some(&self, bytes: &[u8]) -> io::Result<Taken> {
        // Read before the write: the key may end the program.
        let foreground = pty::foreground_group(&self.input.fd);
        let taken = self.pass_some(bytes).await?;
        let typed = &bytes[..taken.bytes];
        if !typed.is_empty() {
            let line = OpenLine {
                foreground,
                at: Instant::now(),
            };
            self.input
                .open_line
                .set((!ends_line(typed)).then_some(line));
        }
        if typed.contains(&INTERRUPT) {
            self.input.shell.interrupted();
        }
        Ok(taken)
    }

    /// Writes what nobody has typed: the terminal's answers to the program.
    pub(crate) async fn pass(&self, bytes: &[u8]) -> io::Result<Taken> {
        all(bytes, async |rest| self.pass_some(rest).await).await
    }

    async fn pass_some(&self, bytes: &[u8]) -> io::Result<Taken> {
        let taken = |bytes, stuffed| Ok(Taken { bytes, stuffed });
        if self.discarded != self.input.discarded.get() {
            return taken(0, true);
        }
        match rustix::io::write(&self.input.fd, bytes) {
            Ok(bytes) => {
                self.input.given.set(self.input.given.get() + 1);
                self.input.full_since.set(None);
                taken(bytes, false)
            }
            Err(Errno::INTR) => taken(0, false),
            Err(Errno::AGAIN) => {
                let has_room = self.wait_for_room().await?;
                taken(0, !has_room)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns when a writer waits for its turn.
    async fn others(&self) {
        while self.input.queued.get() == 0 {
            self.input.queue.notified().await;
        }
    }

    /// Waits until the kernel has room; returns false if it has none for as long as the turn is patient, or for [`PATIENCE`] if
    /// somebody else waits for the turn: a key such as `C-c` may not wait behind text for long. The descriptor is
    /// registered only during the wait, so that a busy terminal does not wake the daemon.
    async fn wait_for_room(&self) -> io::Result<bool> {
        let since = self.input.full_since.get().unwrap_or_else(Instant::now);
        self.input.full_since.set(Some(since));
        let fd = readiness::watch(self.input.fd.try_clone()?, Interest::WRITABLE)?;
        let _stuck = Stuck::new(&self.input.stuck);
        tokio::select! {
            biased;
            () = self.input.discard.notified() => Ok(true),
            ready = fd.writable() => ready.map(|_| true),
            () = tokio::time::sleep_until(since + self.patience) => Ok(false),
            () = async {
                self.others().await;
                tokio::time::sleep_until(since + PATIENCE).await;
            } => Ok(false),
        }
    }
}

/// Writes all of `bytes` with `some`, which writes a part. After an error the rest is not written; it is an error of all
/// only if nothing was.
async fn all(bytes: &[u8], some: impl AsyncFn(&[u8]) -> io::Result<Taken>) -> io::Result<Taken> {
    let mut taken = 0;
    while taken < bytes.len() {
        match some(&bytes[taken..]).await {
            Ok(more) => {
                taken += more.bytes;
                if more.stuffed {
                    break;
                }
            }
            Err(error) if taken == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(Taken {
        bytes: taken,
        stuffed: taken < bytes.len(),
    })
}

/// Marks the writer as waiting for room while this value lives.
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
