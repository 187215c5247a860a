//! A session that takes input, and its keyboard.

use std::rc::Rc;

use tokio::time::{Duration, Instant, timeout_at};

use super::client::Client;
use super::find::find;
use super::input_record::Unrecorded;
use super::new_output;
use super::replies::not_running;
use crate::daemon::hub::Hub;
use crate::daemon::programs::allow;
use crate::daemon::sessions::input::{Input, MAX_WAITING, Typed};
use crate::daemon::state::State;
use crate::daemon::state::output::render_chunk;
use crate::engine::registry::{Access, Principal};
use crate::engine::shell_command::{is_carrier, is_other, is_shell};
use crate::protocol::keeper::ToKeeper;
use crate::protocol::status::Mode;
use crate::protocol::{Error, ErrorCode, Role, SessionId};
use crate::sys::pty::{self, LineDiscipline};
use crate::term::modes::Modes;

/// A session that takes input. Only a task that types holds one: a pipe is closed when no task does.
pub(crate) struct Target {
    pub(crate) hub: Hub,
    pub(crate) principal: Principal,
    pub(crate) id: SessionId,
    pub(crate) mode: Mode,
    pub(crate) modes: Modes,
    pub(crate) input: Rc<Input>,
}

impl Target {
    /// Finds a session that the client may type into. Returns an error if it has ended or its input is closed.
    pub(crate) fn find(hub: &Hub, client: &Client, name: &str) -> Result<Self, Error> {
        let id = find(hub, client, name, Access::Type)?;
        let state = hub.read();
        let Some(session) = state.sessions.get(&id) else {
            return Err(Error::session_not_found(name));
        };
        if !session.life.status().has_process() {
            let end = state.sessions.last_lines(&id, 500);
            return Err(not_running(session, &end));
        }
        let closed = session.stdin_closed;
        let mode = session.spec.mode;
        let modes = session.output.modes();
        match state.sessions.io(&id).and_then(|io| io.input.clone()) {
            Some(input) if !closed => Ok(Self {
                hub: hub.clone(),
                principal: client.principal.clone(),
                id,
                mode,
                modes,
                input,
            }),
            _ => Err(stdin_not_available(&id)),
        }
    }

    /// Refuses a client with a list of allowed programs, unless it could start this session itself.
    pub(crate) fn check_allowed(&self, client: &Client) -> Result<(), Error> {
        let state = self.hub.read();
        let session = state.sessions.get(&self.id);
        session.map_or(Ok(()), |session| {
            allow::check_typing(&client.greeting, &session.spec)
        })
    }

    /// Returns an error if `bytes` more bytes would exceed [`MAX_WAITING`], the limit on input that
    /// the program has not read yet.
    pub(crate) fn check_room(&self, bytes: usize) -> Result<(), Error> {
        let waiting = self.input.waiting().saturating_add(bytes);
        if waiting > MAX_WAITING {
            Err(too_much(self, waiting))
        } else {
            Ok(())
        }
    }

    /// Whether somebody looks at the session's screen.
    pub(super) fn is_watched(&self) -> bool {
        let state = self.hub.read();
        let io = state.sessions.io(&self.id);
        io.is_some_and(|io| !io.watchers.is_empty())
    }

    /// Takes down what was typed. Without `echo`, only the number of bytes is recorded.
    pub(super) fn note(&self, bytes: &[u8], echo: bool) -> Unrecorded {
        self.input.note(Typed::now(&self.principal, bytes, echo));
        Unrecorded::of(&self.hub, &self.id, &self.input)
    }

    /// The part of `bytes` that the terminal or the program's line editor writes to the output. A line editor
    /// turns the terminal's echo off; it is expected only for models, whose programs are mostly shells.
    pub(crate) fn echoed<'b>(&self, client: &Client, bytes: &'b [u8]) -> &'b [u8] {
        let echoes = self
            .line_discipline()
            .is_some_and(|line| line.echo || (client.is_lean() && !line.canonical));
        if echoes { bytes } else { &[] }
    }

    /// Whether Enter is another key than LF to the program: it reads keys as they are typed, and is neither a shell
    /// nor something else with a line editor, which takes both.
    pub(super) fn tells_enter_from_newline(&self) -> bool {
        let line = self.line_discipline();
        if !line.is_some_and(|line| !line.canonical && !line.cr_is_newline) {
            return false;
        }
        let state = self.hub.read();
        let session = state.sessions.get(&self.id);
        let is_full_screen = session.is_some_and(|session| session.output.alt_screen());
        is_full_screen || !edits_lines(&state, &self.id)
    }

    /// How the terminal treats input; `None` for a pipe.
    pub(crate) fn line_discipline(&self) -> Option<LineDiscipline> {
        match self.mode {
            Mode::Pipe => None,
            Mode::Pty => pty::line_discipline(&*self.input).ok(),
        }
    }

    /// Takes the keyboard if the client is a person. Returns an error to an agent while a person
    /// holds it.
    pub(crate) fn take_keyboard(&self) -> Result<(), Error> {
        self.hub
            .change(|state| state.take_keyboard(&self.principal, &self.id))
    }

    /// Takes the keyboard, but a model waits for at most `patience` until the person lets it go: it has no clock, and
    /// gets no events.
    pub(crate) async fn await_keyboard(
        &self,
        client: &Client,
        patience: Duration,
    ) -> Result<(), Error> {
        let deadline = Instant::now() + patience;
        while client.is_lean() {
            let free = self.input.free();
            let Err(error) = self.take_keyboard() else {
                return Ok(());
            };
            if error.code != ErrorCode::InputHeld || timeout_at(deadline, free).await.is_err() {
                break;
            }
        }
        self.take_keyboard()
    }

    /// Closes the pipe of the input, as the client wants.
    pub(super) fn close(&self) {
        self.hang_up();
        if self.principal.role == Role::Human {
            self.hub
                .change(|state| state.person_typed(&self.id, 0, true));
        }
    }

    /// Closes the pipe of the input, which nobody wants to write or to read any more.
    pub(super) fn hang_up(&self) {
        self.hub.change(|state| {
            if let Some(session) = state.sessions.get_mut(&self.id) {
                session.stdin_closed = true;
            }
            if let Some(io) = state.sessions.io_mut(&self.id) {
                io.input = None;
            }
            let session = self.id.clone();
            state.keeper.send(&ToKeeper::CloseStdin { session });
            state.persist(&self.id);
        });
    }

    /// The offset at which a wait starts: before the input, so that no output is missed.
    pub(crate) fn mark(&self, client: &Client, since: Option<&str>) -> Result<u64, Error> {
        if since.is_some() {
            return Ok(new_output::Since::parse(since)?.offset(&self.hub.read(), client, &self.id));
        }
        Ok(self.hub.change(|state| {
            // First render the output so far, and keep a checkpoint at its end, so that the wait
            // can read on from there without rendering earlier output again.
            render_chunk(state, &self.id);
            if let Some(session) = state.sessions.get_mut(&self.id) {
                session.output.remember_here();
            }
            state.sessions.log_end(&self.id)
        }))
    }
}

/// Whether the program in the foreground is one that edits the lines that it reads: a shell, a program that carries one
/// from elsewhere, or an interpreter.
pub(super) fn edits_lines(state: &State, id: &SessionId) -> bool {
    let program = state.sessions.foreground_program(id);
    let name = program.map_or_else(String::new, |process| process.name);
    is_shell(&name) || is_carrier(&name) || is_other(&name)
}

fn too_much(target: &Target, bytes: usize) -> Error {
    let limit = MAX_WAITING as u64;
    let message = format!("Session {} has {bytes} bytes of input waiting", target.id);
    Error::limit(message, "inputBytes", limit, bytes as u64)
        .hint("its program does not read its input; wait, send ^C, or kill the session")
}

/// The error if the input is closed, or the program has just ended.
pub(super) fn stdin_not_available(id: &SessionId) -> Error {
    let message = format!("Session {id} stdin is not available");
    Error::new(ErrorCode::StdinNotAvailable, message)
}
