//! Writes input to a session in the order of the requests. One session's full buffer never blocks another
//! session.
//!
//! [`Input`] is what writers share: who waits, and what is known of what was typed. Who writes holds a
//! [`TypingTurn`] ([`turn`](mod@turn)). [`typed`] is what the input log tells of it, and [`shell`] the commands that were
//! typed at the prompt of a shell.

mod shell;
mod turn;
mod typed;

use std::cell::{Cell, RefCell};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use rustix::process::Signal;
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;

use crate::sys::pty;
pub(crate) use shell::{AtShell, ShellCommands};
pub(crate) use turn::{FIRST_PATIENCE, OpenLine, TypingTurn};
pub(crate) use typed::Typed;

/// Maximum number of bytes that may wait for a program.
pub(crate) const MAX_WAITING: usize = 1 << 20;

/// Maximum number of bytes of the terminal's answers that wait for their turn. A program that asks and does not read gets
/// no more.
const MAX_REPLIES: usize = 64 * 1024;

/// A session's input: PTY master or stdin pipe.
pub(crate) struct Input {
    fd: OwnedFd,
    /// Held by the current writer. The mutex of tokio is fair: first come, first served.
    turn: Mutex<()>,
    waiting: Cell<usize>,
    /// How many writers wait for their turn.
    queued: Cell<usize>,
    /// Notified when a writer begins to wait for its turn.
    queue: Notify,
    /// How many times clients have typed.
    typed: Cell<u64>,
    /// How many times the program was given something, or was interrupted.
    given: Cell<u64>,
    /// Since when the input buffer has been full.
    full_since: Cell<Option<Instant>>,
    /// Whether the current writer waits for room.
    stuck: Cell<bool>,
    /// How many times waiting input was discarded.
    discarded: Cell<u64>,
    discard: Notify,
    /// The last bytes typed, if they are the start of an unfinished line.
    open_line: Cell<Option<OpenLine>>,
    /// Notified when the screen changes.
    reaction: Rc<Notify>,
    /// Notified when a person lets the keyboard go.
    free: Notify,
    /// What was typed and is not in the input log yet.
    notes: RefCell<Vec<Typed>>,
    /// The commands that were typed into a shell.
    pub(crate) shell: ShellCommands,
    /// Answers of the terminal to the program's questions that wait for their turn.
    replies: RefCell<Vec<u8>>,
}

impl Input {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self {
            fd,
            turn: Mutex::new(()),
            waiting: Cell::new(0),
            queued: Cell::new(0),
            queue: Notify::new(),
            typed: Cell::new(0),
            given: Cell::new(0),
            full_since: Cell::new(None),
            stuck: Cell::new(false),
            discarded: Cell::new(0),
            discard: Notify::new(),
            open_line: Cell::new(None),
            reaction: Rc::default(),
            free: Notify::new(),
            notes: RefCell::default(),
            shell: ShellCommands::default(),
            replies: RefCell::default(),
        }
    }

    /// Queues answers of the terminal. Returns true if nothing waits yet, so that somebody has to take the turn for them.
    pub(crate) fn queue_replies(&self, bytes: &[u8]) -> bool {
        let mut replies = self.replies.borrow_mut();
        let is_first = replies.is_empty();
        if replies.len() + bytes.len() <= MAX_REPLIES {
            replies.extend_from_slice(bytes);
        }
        is_first && !replies.is_empty()
    }

    /// Takes the answers that wait.
    pub(crate) fn take_replies(&self) -> Vec<u8> {
        self.replies.take()
    }

    /// Takes down what was typed. Those who take it write it to the input log.
    pub(crate) fn note(&self, typed: Typed) {
        self.notes.borrow_mut().push(typed);
    }

    /// Takes what was typed and is not in the input log yet, in the order in which it was typed.
    pub(crate) fn take_notes(&self) -> Vec<Typed> {
        self.notes.take()
    }

    /// What is notified when the program's screen changes.
    pub(crate) fn reaction(&self) -> Rc<Notify> {
        self.reaction.clone()
    }

    /// Notes that the program's screen has changed.
    pub(crate) fn screen_changed(&self) {
        self.reaction.notify_waiters();
    }

    /// What is notified when a person lets the keyboard go.
    pub(crate) fn free(&self) -> Notified<'_> {
        self.free.notified()
    }

    /// Notes that no person types any more.
    pub(crate) fn let_go(&self) {
        self.free.notify_waiters();
    }

    /// Whether the last bytes typed, by any client, are the start of an unfinished line.
    pub(crate) fn in_line(&self) -> bool {
        self.open_line().is_some()
    }

    /// The last bytes typed, by any client, if they are the start of an unfinished line.
    pub(crate) fn open_line(&self) -> Option<OpenLine> {
        self.open_line.get()
    }

    /// Bytes that wait to be written.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.get()
    }

    /// How many times clients have typed, for those who show the reaction.
    pub(crate) fn typed(&self) -> u64 {
        self.typed.get()
    }

    /// How many times the program was given something, or was interrupted. Who holds the turn sees from it whether
    /// anything has come in between since.
    pub(crate) fn given(&self) -> u64 {
        self.given.get()
    }

    /// Bytes in the kernel that the program has not read; `None` if the kernel does not tell.
    pub(crate) fn unread(&self) -> Option<u64> {
        pty::unread_input(&self.fd)
    }

    /// Counts bytes that will wait for their turn.
    pub(crate) fn announce(&self, bytes: usize) -> Waiting<'_> {
        self.typed.set(self.typed.get() + 1);
        Waiting::new(&self.waiting, bytes)
    }

    /// Interrupts the program with the signal characters at the start of `bytes`, if they would otherwise be
    /// queued behind input that the program does not read. Returns how many characters were handled.
    ///
    /// The terminal raises the signal when it processes the character, which it does not do while its buffer is
    /// full. So the signal is sent directly, and waiting input is discarded as the terminal would have done.
    pub(crate) fn interrupt(&self, bytes: &[u8]) -> usize {
        let Ok(line) = pty::line_discipline(&self.fd) else {
            return 0;
        };
        let signals: Vec<_> = bytes.iter().map_while(|&b| line.signal(b)).collect();
        if signals.is_empty() || !self.is_stuffed() {
            return 0;
        }
        self.given.set(self.given.get() + 1);
        // Discard before the signal, so that a program that continues at once does not read any of it.
        if line.discards {
            self.discarded.set(self.discarded.get() + 1);
            self.discard.notify_waiters();
            self.open_line.set(None);
            pty::discard_input(&self.fd);
        }
        if signals.contains(&Signal::INT) {
            self.shell.interrupted();
        }
        for &signal in &signals {
            if pty::raise(&self.fd, signal).is_err() {
                return 0;
            }
        }
        signals.len()
    }

    /// Whether bytes typed now would be queued behind input that the program does not read. Between the writes
    /// of one turn this is false, because the bytes then wait for the rest of that turn.
    fn is_stuffed(&self) -> bool {
        let free = self.turn.try_lock().is_ok();
        self.stuck.get() || (free && self.unread().is_some_and(|bytes| bytes > 0))
    }
}

impl AsFd for Input {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Counts bytes, or writers, as waiting while this value lives.
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
