//! Writes input to a session in the order of the requests. One session's full buffer never blocks another
//! session.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Signal;
use tokio::io::Interest;
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex, MutexGuard, Notify};
use tokio::time::Instant;

use crate::daemon::clock::now;
use crate::engine::input::ENDS_LINE;
use crate::engine::registry::Principal;
use crate::engine::shell_command::TypedCommand;
use crate::protocol::Timestamp;
use crate::sys::{pty, readiness};

/// A program that has taken nothing for this long counts as not reading. The time runs since the buffer became
/// full, so that later writers do not wait again.
const PATIENCE: Duration = Duration::from_secs(1);

/// [`PATIENCE`] for the input of a `start`, while nobody else wants to type. Interpreters and compilers may need several
/// seconds before they read.
pub(crate) const FIRST_PATIENCE: Duration = Duration::from_secs(30);

/// Characters that end a person's answer: Enter, line feed, `^C`, `^D`.
const FINISHES: [u8; 4] = [b'\r', b'\n', 0x03, 0x04];

/// Enter, `^C` and `^U` in the kitty keyboard protocol: they end a line, as [`ENDS_LINE`] does.
const ENDS_LINE_AS_KEY: [&[u8]; 3] = [b"\x1b[13u", b"\x1b[99;5u", b"\x1b[117;5u"];

/// The character that interrupts a program, `^C`. A shell that reads a line ignores `^\\` and `^Z`.
const INTERRUPT: u8 = 0x03;

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
    /// The command that was typed into a shell last.
    command: RefCell<Option<AtShell>>,
    /// Answers of the terminal to the program's questions that wait for their turn.
    replies: RefCell<Vec<u8>>,
}

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

/// How many commands are known that were typed into a shell before the last one.
const BEFORE: usize = 16;

/// A command that was typed at the prompt of a shell.
#[derive(Clone)]
pub(crate) struct AtShell {
    pub(crate) command: TypedCommand,
    /// The pid of the shell.
    pub(crate) shell: u32,
    /// The prompt, if it can be seen: when it is shown again, the command is over, also if the shell dropped the
    /// rest of the line with the mark of its end.
    pub(crate) prompt: Option<String>,
    /// Whether somebody has typed or sent an interrupt since. A shell does not tell the end of a command that was
    /// interrupted.
    pub(crate) is_interrupted: bool,
    /// The commands that were typed into the same shell before, at most [`BEFORE`].
    pub(crate) before: Vec<TypedCommand>,
}

/// What was typed at once.
pub(crate) struct Typed {
    pub(crate) at: Timestamp,
    pub(crate) by: Principal,
    /// Number of bytes.
    pub(crate) bytes: usize,
    /// The text; `None` if the terminal did not echo it, because it may be a password.
    pub(crate) text: Option<String>,
    /// Whether it ends a person's answer.
    pub(crate) finishes: bool,
}

impl Typed {
    /// What `by` types now. Without `echo`, only the number of bytes is kept.
    pub(crate) fn now(by: &Principal, bytes: &[u8], echo: bool) -> Self {
        Self {
            at: now().wall,
            by: by.clone(),
            bytes: bytes.len(),
            text: echo.then(|| String::from_utf8_lossy(bytes).into_owned()),
            finishes: bytes.iter().any(|byte| FINISHES.contains(byte)),
        }
    }
}

/// The result of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    /// Bytes that the kernel took.
    pub(crate) bytes: usize,
    /// Whether the kernel did not take all bytes: the program does not read, or was interrupted meanwhile.
    pub(crate) stuffed: bool,
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
            command: RefCell::default(),
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

    /// Notes the command that was typed into a shell.
    pub(crate) fn set_command(&self, mut typed: AtShell) {
        let last = self.command.take();
        if let Some(last) = last.filter(|last| last.shell == typed.shell) {
            typed.before = last.before;
            typed.before.push(last.command);
            let old = typed.before.len().saturating_sub(BEFORE);
            typed.before.drain(..old);
        }
        self.command.replace(Some(typed));
    }

    /// The command that was typed last into the shell with this pid, unless it was interrupted.
    pub(crate) fn command_of(&self, shell: u32) -> Option<AtShell> {
        self.last_command().filter(|typed| typed.shell == shell)
    }

    /// The command that was typed last into a shell, unless it was interrupted.
    pub(crate) fn last_command(&self) -> Option<AtShell> {
        self.typed_command().filter(|typed| !typed.is_interrupted)
    }

    /// The command that was typed last into a shell.
    pub(crate) fn typed_command(&self) -> Option<AtShell> {
        self.command.borrow().clone()
    }

    /// Notes that the program was interrupted.
    pub(crate) fn interrupted(&self) {
        if let Some(typed) = &mut *self.command.borrow_mut() {
            typed.is_interrupted = true;
        }
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
            self.interrupted();
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

    /// Returns when a writer waits for its turn.
    async fn others(&self) {
        while self.queued.get() == 0 {
            self.queue.notified().await;
        }
    }

    /// Waits until the kernel has room; returns false if it has none for `patience`, or for [`PATIENCE`] if
    /// somebody else waits for the turn: a key such as `C-c` may not wait behind text for long. The descriptor is
    /// registered only during the wait, so that a busy terminal does not wake the daemon.
    async fn wait_for_room(&self, patience: Duration) -> io::Result<bool> {
        let since = self.full_since.get().unwrap_or_else(Instant::now);
        self.full_since.set(Some(since));
        let fd = readiness::watch(self.fd.try_clone()?, Interest::WRITABLE)?;
        let _stuck = Stuck::new(&self.stuck);
        tokio::select! {
            biased;
            () = self.discard.notified() => Ok(true),
            ready = fd.writable() => ready.map(|_| true),
            () = tokio::time::sleep_until(since + patience) => Ok(false),
            () = async {
                self.others().await;
                tokio::time::sleep_until(since + PATIENCE).await;
            } => Ok(false),
        }
    }
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
            self.input.interrupted();
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
                let has_room = self.input.wait_for_room(self.patience).await?;
                taken(0, !has_room)
            }
            Err(error) => Err(error.into()),
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
