//! Types a command into a shell.

use std::rc::Rc;

use tokio::time::Duration;

use super::prompt::{Shell, at_prompt, prompt};
use crate::daemon::hub::Hub;
use crate::daemon::programs::allow::typed_line;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::limits::YIELD_MS;
use crate::daemon::requests::target::Target;
use crate::daemon::requests::typing::Sent;
use crate::daemon::requests::uncancelled::finish_anyway;
use crate::daemon::sessions::input::AtShell;
use crate::engine::shell_command::{CommandId, TypedCommand, is_shell, language_of};
use crate::protocol::Error;
use crate::protocol::params::{Exec, ShellLanguage};
use crate::protocol::reply::Warning;
use crate::protocol::status::Mode;

/// How long to wait until a shell that starts, or that has just ended another command, is at its prompt, in
/// milliseconds.
const PROMPT_MS: u64 = 2000;

/// [`PROMPT_MS`] for a model, which has nothing else to do: it may have started two commands at once.
const MODELS_PROMPT_MS: u64 = 10_000;

/// The least [`PROMPT_MS`], of a request that waits for less.
const SHORTEST_PROMPT_MS: u64 = 250;

/// Types a command with its marks, once the shell is at its prompt.
pub(super) async fn type_command(
    hub: &Hub,
    client: &Rc<Client>,
    target: &Rc<Target>,
    command: &str,
    params: &Exec,
    warnings: &mut Vec<Warning>,
) -> Result<TypedCommand, Error> {
    if command.trim().is_empty() || command.contains('\0') {
        return Err(Error::invalid(
            "`command` must be text for a shell, without NUL",
        ));
    }
    let wait_ms = params.wait_ms.unwrap_or(YIELD_MS);
    let patience = Duration::from_millis(wait_ms);
    let longest_ms = if client.is_lean() {
        MODELS_PROMPT_MS
    } else {
        PROMPT_MS
    };
    let within_ms = wait_ms.clamp(SHORTEST_PROMPT_MS, longest_ms);
    loop {
        let given = target.input.given();
        let is_shell_said = params.language.is_some();
        let shell = at_prompt(hub, target, is_shell_said, within_ms).await?;
        let language = params.language.unwrap_or_else(|| language_of(&shell.name));
        let spoken = is_shell(&shell.name).then(|| language_of(&shell.name));
        let is_posix = language == ShellLanguage::Posix && spoken == Some(language);
        let command = allowed(hub, client, target, command, is_posix)?;
        let id = CommandId::fresh();
        let mut bytes = id.line(&command, language).into_bytes();
        bytes.push(match target.mode {
            Mode::Pty => b'\r',
            Mode::Pipe => b'\n',
        });
        target.await_keyboard(client, patience).await?;
        let line = Line {
            id,
            bytes,
            shell,
            given,
        };
        let (client, target) = (client.clone(), target.clone());
        let typed = finish_anyway(async move { line.type_into(&client, &target).await });
        if let Some((typed, mut sent)) = typed.await? {
            warnings.append(&mut sent.warnings);
            return Ok(typed);
        }
    }
}

/// The command, as far as the client may run it.
fn allowed(
    hub: &Hub,
    client: &Client,
    target: &Target,
    command: &str,
    is_posix: bool,
) -> Result<String, Error> {
    let state = hub.read();
    let session = state.sessions.get(&target.id);
    let session = session.ok_or_else(|| Error::session_not_found(target.id.as_str()))?;
    typed_line(&client.greeting, &session.spec, command, is_posix)
}

/// A command as it is typed into a shell that was at its prompt.
struct Line {
    id: CommandId,
    bytes: Vec<u8>,
    shell: Shell,
    /// How many times it had been given something before it was seen at its prompt.
    given: u64,
}

impl Line {
    /// Types it. Returns `None` if somebody has typed since the shell was seen at its prompt: it may run another
    /// program by now.
    async fn type_into(
        self,
        client: &Client,
        target: &Target,
    ) -> Result<Option<(TypedCommand, Sent)>, Error> {
        let (hub, input) = (&target.hub, &target.input);
        target.check_room(self.bytes.len())?;
        let waiting = input.announce(self.bytes.len());
        let turn = input.turn().await;
        // A person may have taken the lease during the wait.
        target.take_keyboard()?;
        if input.given() != self.given {
            return Ok(None);
        }
        let from = target.mark(client, None)?;
        let prompt = prompt(hub, &target.id);
        let typed = TypedCommand {
            id: self.id,
            from,
            carrier: if is_shell(&self.shell.name) {
                None
            } else {
                hub.read().sessions.foreground(&target.id)
            },
        };
        let mut sent = Sent::new();
        sent.check_line(target, &self.bytes);
        if sent.warnings.contains(&Warning::LineOver4095) {
            return Err(Error::invalid(
                "the shell reads lines of at most 4,095 bytes, and this command is longer",
            )
            .hint("write it to a file and run that, or run bash, which reads longer lines"));
        }
        sent.send(target, &turn, &self.bytes).await?;
        drop((turn, waiting));
        if let Some(shell) = self.shell.pid {
            input.shell.note(AtShell {
                command: typed.clone(),
                shell,
                prompt,
                is_interrupted: false,
                before: Vec::new(),
            });
        }
        Ok(Some((typed, sent)))
    }
}
