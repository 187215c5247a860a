//! Types into a session: what was typed so far, and the result.

use std::io;

use rustix::io::Errno;
use tokio::time::{Duration, Instant, timeout};

use super::client::Client;
use super::input_record::Unrecorded;
use super::no_enter::NoEnter;
use super::replies::{answer, refused_by_system};
use super::target::{Target, stdin_not_available};
use super::wait_plan::Plan;
use crate::daemon::hub::Hub;
use crate::daemon::sessions::input::{Input, TypingTurn};
use crate::daemon::transport::Answer;
use crate::engine::input::waits;
use crate::protocol::condition::WaitMode;
use crate::protocol::reply::{Waited, Warning, Written};
use crate::protocol::status::{InputState, Mode};
use crate::protocol::{Error, Role, SessionId};
use crate::sys::pty;

/// Longest line that a terminal in canonical mode passes on, in bytes. The kernel drops the rest of
/// a longer line without an error. This is the kernel's `N_TTY_BUF_SIZE` without the newline.
const COOKED_LINE: usize = 4095;

/// Longest pause between two checks of the unread input. The pauses double from 1 ms up to this value.
pub(crate) const LAST_PAUSE: Duration = Duration::from_millis(16);

/// How long to wait until input is read. A program that waits for input has read it by then.
const SETTLES: Duration = Duration::from_millis(31);

/// How long a request of a model must have lasted to tell that the program does not read. One that waits for nothing ends
/// earlier than a healthy program has read a key, if the machine is busy.
const TELLING: Duration = Duration::from_millis(100);

/// Longest time to see whether a program ends or reads on after the end-of-file character. An
/// interpreter takes tens of milliseconds to end.
const END_PAUSE: Duration = Duration::from_millis(250);

/// What was sent so far.
pub(crate) struct Sent {
    pub(crate) bytes: u64,
    /// Bytes that were not sent, because the program does not read.
    not_sent: u64,
    pub(crate) warnings: Vec<Warning>,
    /// Whether the last byte ended a line.
    pub(crate) line: bool,
    /// Whether the bytes come from a client's standard input, so that nobody typed them.
    passed_on: bool,
    /// Whether the end-of-file character was typed in raw mode, where it is a key like any other.
    ends_raw: bool,
    /// What was typed, if a client may take it for a complete answer.
    no_enter: Option<NoEnter>,
    /// Keys whose echo somebody is about to see.
    unrecorded: Option<Unrecorded>,
}

impl Sent {
    pub(crate) fn new() -> Self {
        Self {
            bytes: 0,
            not_sent: 0,
            warnings: Vec::new(),
            line: false,
            passed_on: false,
            ends_raw: false,
            no_enter: None,
            unrecorded: None,
        }
    }

    /// Sets whether the bytes come from a client's standard input. If so, only their number is
    /// written to the input log, and the reply does not wait until the program has read them.
    pub(crate) fn passed_on(mut self, on: bool) -> Self {
        self.passed_on = on;
        self
    }

    /// Whether the kernel did not accept all bytes, because the program does not read.
    pub(crate) fn stuffed(&self) -> bool {
        self.warnings.contains(&Warning::NotReading)
    }

    /// Notes that so many further bytes are not sent.
    pub(crate) fn leave_out(&mut self, bytes: usize) {
        self.not_sent += bytes as u64;
    }

    /// Lets signal characters at the start of `bytes` overtake unread input. Returns how many were handled.
    pub(crate) fn interrupt(&mut self, target: &Target, bytes: &[u8]) -> usize {
        if target.mode == Mode::Pipe {
            return 0;
        }
        let typed = target.input.interrupt(bytes);
        if typed > 0 {
            drop(target.note(&bytes[..typed], true));
            self.bytes += typed as u64;
        }
        typed
    }

    /// Adds a warning, once.
    pub(crate) fn warn(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Notes that no Enter follows these bytes, though the client may take them for a complete answer.
    pub(crate) fn expect_enter(&mut self, target: &Target, bytes: &[u8]) {
        self.no_enter = NoEnter::of(target, bytes);
    }

    /// Adds a warning if a line becomes so long that a cooked terminal cuts it, also one that an earlier write has
    /// begun.
    pub(crate) fn check_line(&mut self, target: &Target, bytes: &[u8]) {
        let is_cooked = target.line_discipline().is_some_and(|line| line.canonical);
        let longest = target.hub.change(|state| {
            let session = state.sessions.get_mut(&target.id)?;
            if is_cooked {
                Some(session.input.type_lines(bytes))
            } else {
                session.input.collects_no_lines();
                None
            }
        });
        if longest.is_some_and(|longest| longest > COOKED_LINE) {
            self.warn(Warning::LineOver4095);
        }
    }

    /// Types `bytes`, and records them.
    pub(crate) async fn send(
        &mut self,
        target: &Target,
        turn: &TypingTurn<'_>,
        bytes: &[u8],
    ) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (mut taken, mut noted, mut echoed) = (0, 0, false);
        while taken < bytes.len() && !self.stuffed() {
            // Read the echo mode before typing: the program may turn echo on again as soon as it has
            // the input. Read it for each part: the program may turn echo off while the others wait.
            let echo = self.is_echoed(target);
            if noted < taken && echo != echoed {
                drop(target.note(&bytes[noted..taken], echoed));
                noted = taken;
            }
            echoed = echo;
            match turn.write_some(&bytes[taken..]).await {
                Ok(more) => {
                    taken += more.bytes;
                    if more.stuffed {
                        self.warn(Warning::NotReading);
                    }
                }
                Err(error) => {
                    if target.mode == Mode::Pipe && error.kind() == io::ErrorKind::BrokenPipe {
                        // No process can read from it, now or later.
                        target.hang_up();
                    }
                    if taken == 0 {
                        return Err(not_typed(&target.id, &error));
                    }
                    // It has the first part, and reads no more.
                    self.warn(Warning::NotReading);
                }
            }
        }
        let typed = &bytes[..taken];
        target.hub.change(|state| state.typed(&target.id, typed));
        let unrecorded = target.note(&bytes[noted..taken], echoed);
        let is_watched = target.mode == Mode::Pty && target.is_watched();
        match target.principal.role {
            Role::Human if is_watched => self.unrecorded = Some(unrecorded),
            Role::Agent if is_watched => unrecorded.after_echo().await,
            _ => drop(unrecorded),
        }
        self.bytes += taken as u64;
        self.leave_out(bytes.len() - taken);
        self.line = matches!(bytes[..taken].last(), Some(b'\n' | b'\r'));
        Ok(())
    }

    /// Whether what is typed now is echoed, so that it may be recorded.
    fn is_echoed(&self, target: &Target) -> bool {
        match target.mode {
            _ if self.passed_on => false,
            Mode::Pipe => true,
            Mode::Pty => target.line_discipline().is_some_and(|line| line.echo),
        }
    }

    /// Ends the input: closes the pipe, or types the terminal's end-of-file character. After a
    /// partial line this character is typed twice, because the first one only submits the line.
    pub(crate) async fn end_of_input(
        &mut self,
        target: &Target,
        turn: &TypingTurn<'_>,
    ) -> Result<(), Error> {
        if target.mode == Mode::Pipe {
            target.close();
            return Ok(());
        }
        let Some(line) = target.line_discipline() else {
            return Ok(());
        };
        self.ends_raw = !line.canonical;
        let times = if target.input.in_line() { 2 } else { 1 };
        self.send(target, turn, &vec![line.eof; times]).await
    }

    /// The reply, once the program has had time to read its input, or after the wait of `plan` from offset `before`.
    pub(crate) async fn answer(
        mut self,
        hub: &Hub,
        client: &Client,
        plan: Option<Plan>,
        before: u64,
        id: SessionId,
    ) -> Answer {
        if let Some(unrecorded) = self.unrecorded.take() {
            unrecorded.once_drawn().await;
        }
        if self.passed_on && plan.is_none() {
            return answer(self.written(None, None, None));
        }
        let (settled, asked_at) = (plan.is_none(), Instant::now());
        let unread = match (&plan, self.bytes) {
            // The program may read during the wait, so measure afterwards.
            (Some(_), _) | (_, 0) => None,
            (None, _) => self.settled(hub, &id).await,
        };
        let waited = match plan {
            Some(plan) => {
                let from = vec![(before, id.clone())];
                let mut waited = plan.run(hub, client, from, WaitMode::Any).await?;
                waited.results.pop()
            }
            None => None,
        };
        let input = hub.read().sessions.io(&id).and_then(|d| d.input.clone());
        // After a wait, use the result of the newest check of the program's input.
        let unread = unread.or_else(|| hub.read().sessions.get(&id)?.input.unread());
        let unread = unread.or_else(|| input.as_ref()?.unread());
        if unread.is_some_and(|bytes| bytes > 0)
            && !self.stuffed()
            && stays_unread(hub, &id, input.as_deref(), settled).await
            && (!client.is_lean() || asked_at.elapsed() >= TELLING)
        {
            self.warn(Warning::NotReading);
        }
        if self.ends_raw && !self.stuffed() && reads_on(hub, &id).await {
            self.warn(Warning::NoEffect);
        }
        let typed = self.no_enter.as_ref().filter(|_| !self.stuffed());
        if let Some((typed, waited)) = typed.zip(waited.as_ref())
            && typed.stands(hub, &id, &waited.polled)
        {
            self.warn(Warning::NoEnter);
        }
        let consumed = input.and_then(|input| self.consumed(&input, unread));
        answer(self.written(consumed, unread, waited))
    }

    fn written(
        self,
        consumed: Option<bool>,
        unread: Option<u64>,
        waited: Option<Waited>,
    ) -> Written {
        Written {
            bytes_written: self.bytes,
            consumed,
            unread_input_bytes: unread,
            not_written: self.not_sent,
            warnings: self.warnings,
            waited,
        }
    }

    /// Number of bytes that are still unread after at most [`SETTLES`]; `None` if unknown. Looks again when the
    /// program writes something: it has mostly read its input then.
    async fn settled(&self, hub: &Hub, id: &SessionId) -> Option<u64> {
        let deadline = Instant::now() + SETTLES;
        let mut pause = Duration::from_millis(1);
        loop {
            let input = hub.read().sessions.io(id)?.input.clone()?;
            let unread = input.unread()?;
            if unread == 0 || self.stuffed() || Instant::now() >= deadline {
                return Some(unread);
            }
            // Drop the handle during the pause: a pipe is closed only when no task holds it.
            let reaction = input.reaction();
            drop(input);
            let _ = timeout(pause, reaction.notified()).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    /// Whether the program has read the input; `None` if the kernel does not tell.
    fn consumed(&self, input: &Input, unread: Option<u64>) -> Option<bool> {
        match unread? {
            _ if self.stuffed() => Some(false),
            1.. => Some(false),
            // A terminal counts only whole lines as unread, and cuts long ones.
            0 if self.warnings.contains(&Warning::LineOver4095) => None,
            0 => {
                let line = pty::line_discipline(input);
                (self.line || !line.is_ok_and(|line| line.canonical)).then_some(true)
            }
        }
    }
}

/// The error for input of which the program has taken nothing.
fn not_typed(id: &SessionId, error: &io::Error) -> Error {
    match error.kind() {
        // The program closed its end, or has just ended: EPIPE of a pipe, EIO of a terminal.
        io::ErrorKind::BrokenPipe => stdin_not_available(id),
        _ if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => stdin_not_available(id),
        _ => refused_by_system("Nothing was typed", error),
    }
}

/// Whether the newest check of a program's input says that it does not read what is there. Without `settled`, the
/// program has not had the time that it takes to read.
async fn stays_unread(hub: &Hub, id: &SessionId, input: Option<&Input>, settled: bool) -> bool {
    hub.check_input(id).await;
    let state = hub.read();
    // The newest check may be older than the input, or may have had no answer in time, so
    // count the unread bytes again. If there are still some, the program does not read,
    // even if it seems to wait for input.
    let seen = state.sessions.get(id).is_some_and(|session| {
        let state = session.input_state();
        state != InputState::Closed && (settled || state != InputState::Unknown)
    });
    let unread = input.and_then(Input::unread);
    seen && unread.is_some_and(|bytes| bytes > 0)
}

/// Whether a program that took the end-of-file character in raw mode waits for more input. A line
/// editor ends at this character; others, such as full-screen programs, take it as a key and read
/// on. Waits at most [`END_PAUSE`] until either can be seen.
async fn reads_on(hub: &Hub, id: &SessionId) -> bool {
    let deadline = Instant::now() + END_PAUSE;
    let mut pause = Duration::from_millis(1);
    loop {
        hub.check_input(id).await;
        let state = {
            let state = hub.read();
            let session = state.sessions.get(id);
            session
                .filter(|session| session.life.status().has_process())
                .map(|session| session.input_state())
        };
        match state {
            None | Some(InputState::Closed) => return false,
            Some(state) if waits(state) => return true,
            Some(_) if Instant::now() >= deadline => return false,
            Some(_) => {}
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}
