//! Whether a session's program is a shell at its prompt.

use std::time::Duration;

use tokio::time::Instant;

use super::marks::{begin, end};
use crate::daemon::hub::Hub;
use crate::daemon::requests::target::Target;
use crate::daemon::sessions::input::AtShell;
use crate::engine::conditions::Conditions;
use crate::engine::input::waits;
use crate::engine::pattern::around;
use crate::engine::shell_command::{
    TypedCommand, edits_lines, is_carrier, is_other, is_shell, runs_script,
};
use crate::protocol::condition::{Condition, View};
use crate::protocol::status::{InputState, Mode};
use crate::protocol::{Error, ErrorCode, SessionId, duration};
use crate::sys::process;
use crate::term::sanitize::clean;

/// Time within which a shell echoes what was typed at its prompt. After that, the prompt alone means an empty line.
const ECHO: Duration = Duration::from_secs(1);

/// Bytes of a line that are shown.
const SHOWN: usize = 80;

/// A shell, or what may be one.
pub(super) struct Shell {
    /// The name of its process; empty if it is not known.
    pub(super) name: String,
    pub(super) pid: Option<u32>,
}

/// Waits until the session's program waits for input, and returns it. Returns an error if it is not a shell at its
/// prompt within `within_ms`, as far as can be seen. `is_shell_said` is whether the client says that it is a shell.
pub(super) async fn at_prompt(
    hub: &Hub,
    target: &Target,
    is_shell_said: bool,
    within_ms: u64,
) -> Result<Shell, Error> {
    let id = &target.id;
    let deadline = Instant::now() + Duration::from_millis(within_ms);
    let shell = loop {
        hub.check_input(id).await;
        let until = [Condition::Input(true), Condition::Exit(true)];
        let conditions = Conditions::new(Some(&until), None, View::Plain)?;
        let left = deadline.saturating_duration_since(Instant::now());
        hub.wait_from_now(id, conditions, Some(duration::millis(left)))
            .await;
        match look(hub, target, is_shell_said).await? {
            Ok(shell) => break shell,
            // Another request has typed its command at this prompt: it is waited for.
            Err(_) if Instant::now() < deadline && !hub.read().sessions.is_over(id) => {}
            Err(busy) => return Err(busy),
        }
    };
    if has_line(hub, target).await {
        return match target.mode {
            Mode::Pipe => Err(no_shell(
                id,
                "has an unfinished line in its input, which would be run with the command",
                "`write` a newline, which runs that line alone",
            )),
            Mode::Pty => {
                let line = prompt(hub, id).unwrap_or_default();
                let line = clean(line.trim());
                let line = around(&line, 0..0, SHOWN);
                Err(no_shell(
                    id,
                    &format!(
                        "may have text on the line of its shell, which would be run with the command: `{line}`"
                    ),
                    "`send_keys` with `C-u` discards it, with `Enter` runs it",
                ))
            }
        };
    }
    Ok(shell)
}

/// The error that a session is at no prompt that takes a command.
fn no_shell(id: &SessionId, why: &str, hint: &str) -> Error {
    Error::new(ErrorCode::NoShell, format!("Session {id} {why}")).hint(hint)
}

/// Looks whether the program is a shell at its prompt. The inner error says that it is busy, which may pass.
async fn look(
    hub: &Hub,
    target: &Target,
    is_shell_said: bool,
) -> Result<Result<Shell, Error>, Error> {
    let id = &target.id;
    let (state, process) = {
        let state = hub.read();
        let session = state.sessions.get(id);
        let session = session.ok_or_else(|| Error::session_not_found(id.as_str()))?;
        (session.input_state(), state.sessions.foreground_program(id))
    };
    let shell = Shell {
        pid: process.as_ref().map(|process| process.pid),
        name: process.map_or_else(String::new, |process| process.name),
    };
    if let Some((why, hint)) = shell.objection(state, target.mode, is_shell_said) {
        return Err(no_shell(id, &why, hint));
    }
    match state {
        InputState::Line if is_shell(&shell.name) => {
            let typed = shell.pid.and_then(|pid| target.input.shell.last_of(pid));
            match unended(hub, target, typed).await? {
                Some(command) => Err(no_shell(
                    id,
                    &format!("runs a command that has not ended: {}", command.token()),
                    "look with `capture`: if the command asks something, answer with `write` and wait for its end with \
                     `pending`; if the shell is at its prompt, press `C-c` first",
                )),
                None => Ok(Ok(shell)),
            }
        }
        InputState::Unknown => Ok(Ok(shell)),
        state if waits(state) => Ok(Ok(shell)),
        _ => {
            let program = match shell.name.as_str() {
                "" => "its program".to_owned(),
                name => format!("`{name}`"),
            };
            let why = format!("is busy: {program} does not wait for input");
            Ok(Err(
                match unended(hub, target, target.input.shell.last()).await? {
                    Some(command) => no_shell(
                        id,
                        &why,
                        &format!(
                            "wait for the command that it runs with `pending`: {}, or press `C-c` to end it",
                            command.token()
                        ),
                    ),
                    None => no_shell(id, &why, OTHER),
                },
            ))
        }
    }
}

/// Whether text may stand on the line of a shell that is at its prompt.
async fn has_line(hub: &Hub, target: &Target) -> bool {
    let id = &target.id;
    let Some(line) = target.input.open_line() else {
        return false;
    };
    hub.catch_up_within_limit(id).await;
    let known = target.input.shell.last().and_then(|typed| typed.prompt);
    let has_text_behind = |shown: &str, prompt: &str| {
        let parts = shown.rsplit_once(prompt);
        parts.is_some_and(|(_, text)| !text.is_empty())
    };
    match (prompt(hub, id), known) {
        (Some(shown), Some(known)) if shown == known && line.at.elapsed() >= ECHO => false,
        // It may have been typed ahead of the prompt, while another program ran.
        (Some(shown), Some(known)) if has_text_behind(&shown, &known) => true,
        // Keys that were read by a program which has ended are not on the line of the shell.
        _ => line.foreground == hub.read().sessions.foreground(id),
    }
}

/// How to type into another program than a shell.
const OTHER: &str = "`write` and `send_keys` type into any program";

/// How to type into a program that may be a shell.
const PERHAPS: &str = "`write` and `send_keys` type into any program; if it takes the commands of a shell, give its \
                       `language`";

/// How to type into a shell that may have no line editor.
const PLAIN: &str = "`write` and `send_keys` type into any program; if the shell runs without its line editor and is at \
                     its prompt, give its `language`";

impl Shell {
    /// Why it is not a shell that reads a command now, and what to do instead; `None` if it may be.
    fn objection(
        &self,
        state: InputState,
        mode: Mode,
        is_shell_said: bool,
    ) -> Option<(String, &'static str)> {
        let name = &self.name;
        match state {
            InputState::Password => Some((format!("asks for a password (`{name}`)"), OTHER)),
            InputState::Tui => Some((format!("shows a full-screen program, `{name}`"), OTHER)),
            _ if is_other(name) => Some((format!("runs `{name}`, which is not a shell"), OTHER)),
            InputState::Line if is_shell_said => None,
            // Without its line editor it reads commands by lines, too, and only the client can know that.
            InputState::Line if mode == Mode::Pty && edits_lines(name) => Some((
                format!("waits for a line of text that `{name}` reads, not for a command"),
                PLAIN,
            )),
            InputState::Line if self.is_script() => Some((
                format!(
                    "waits for a line of text that a script of `{name}` reads, not for a command"
                ),
                PERHAPS,
            )),
            InputState::Line if !is_shell(name) && !is_carrier(name) => Some((
                format!("runs `{name}`, which is not known as a shell"),
                PERHAPS,
            )),
            _ => None,
        }
    }

    /// Whether it was started for a script or a command line.
    fn is_script(&self) -> bool {
        let arguments = self
            .pid
            .filter(|_| is_shell(&self.name))
            .and_then(process::arguments);
        arguments.is_some_and(|words| runs_script(words.iter().map(String::as_str)))
    }
}

/// The command that was typed into a shell, if it has begun and not ended: it may read lines of input, as the shell
/// itself does at its prompt.
async fn unended(
    hub: &Hub,
    target: &Target,
    typed: Option<AtShell>,
) -> Result<Option<TypedCommand>, Error> {
    let Some(typed) = typed else {
        return Ok(None);
    };
    let command = typed.command;
    let Some(began) = begin(hub, &target.id, &command).await? else {
        return Ok(None);
    };
    if end(hub, &target.id, &command, began).await?.is_some() {
        return Ok(None);
    }
    // After some errors a shell drops the rest of the line, and with it the mark of the end.
    hub.catch_up_within_limit(&target.id).await;
    let is_back = typed.prompt.is_some() && prompt(hub, &target.id) == typed.prompt;
    Ok(Some(command).filter(|_| !is_back))
}

/// Why a command that has begun, and whose end is not in the log, is over nevertheless; `None` if it may go on. A shell
/// does not tell the end of a command that was interrupted, or after some errors.
pub(super) async fn over_without_end(
    hub: &Hub,
    id: &SessionId,
    command: &TypedCommand,
) -> Option<&'static str> {
    hub.catch_up_within_limit(id).await;
    let (typed, foreground, state) = {
        let state = hub.read();
        let session = state.sessions.get(id)?;
        let input = state.sessions.io(id)?.input.clone()?;
        let foreground = state.sessions.foreground_program(id);
        let foreground = foreground.map(|process| process.pid);
        (
            input.shell.last_or_interrupted()?,
            foreground,
            session.input_state(),
        )
    };
    if typed.command != *command {
        // Only at its prompt a shell is given a command.
        let is_later = typed.before.contains(command) && typed.command.carrier.is_none();
        return is_later.then_some("interrupted: its shell has run another command since");
    }
    if foreground != Some(typed.shell) {
        return None;
    }
    if typed.is_interrupted && command.carrier.is_none() && waits(state) {
        return Some("interrupted; the shell is at its prompt");
    }
    let is_back = typed.prompt.is_some() && prompt(hub, id) == typed.prompt;
    is_back.then_some("ended without an exit code; the shell is at its prompt")
}

/// The text before the cursor, which is the shell's prompt before a command is typed; `None` if there is none.
pub(super) fn prompt(hub: &Hub, id: &SessionId) -> Option<String> {
    hub.change(|state| {
        let session = state.sessions.get_mut(id)?;
        let shown = session.output.screen_if_any()?.before_cursor();
        Some(shown).filter(|text| !text.trim().is_empty())
    })
}
