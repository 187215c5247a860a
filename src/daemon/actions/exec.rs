//! `exec`: types a command into the shell that a session runs, and returns its output and exit code.

use std::rc::Rc;

use tokio::time::Duration;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::{Client, Moves};
use crate::daemon::requests::find::find;
use crate::daemon::requests::finish::finish_anyway;
use crate::daemon::requests::limits::{YIELD_MS, max_chars, wait_ms};
use crate::daemon::requests::new_output::{Show, Since, polled};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::target::Target;
use crate::daemon::requests::typing::Sent;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::sessions::input::AtShell;
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::engine::input::waits;
use crate::engine::matcher::Decision;
use crate::engine::registry::Access;
use crate::engine::shell_command::{
    CommandId, Ended, MarkSearch, TypedCommand, edits_lines, is_carrier, is_other, is_shell,
    language_of, runs_script,
};
use crate::protocol::condition::{Condition, View, WaitMode, WaitSpec};
use crate::protocol::params::{Exec, Stream};
use crate::protocol::record::{InputState, Mode};
use crate::protocol::reply::{Executed, Progress, Warning};
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::sys::process;

/// How long to wait until a shell that starts, or that has just ended another command, is at its prompt, in
/// milliseconds.
const PROMPT_MS: u64 = 2000;

/// The same for a request that waits for less.
const SHORTEST_PROMPT_MS: u64 = 250;

/// Bytes of the log that are searched for a mark at once.
const CHUNK: usize = 64 * 1024;

/// Handles the action `exec`.
pub(super) async fn exec(hub: &Hub, client: &Rc<Client>, params: Exec) -> Answer {
    // Before anything is typed.
    wait_ms("waitMs", params.wait_ms, 0)?;
    let spec = WaitSpec {
        timeout_ms: params.wait_ms,
        max_chars: Some(max_chars(client, params.max_chars)?),
        ..WaitSpec::default()
    };
    let mut warnings = Vec::new();
    let (id, command, shown) = match (&params.command, &params.pending) {
        (Some(line), None) => {
            let target = Rc::new(Target::find(hub, client, &params.session_id)?);
            let typed = type_command(hub, client, &target, line, &params, &mut warnings).await?;
            let from = typed.from;
            (target.id.clone(), typed, from)
        }
        (None, Some(_)) if params.language.is_some() => {
            return Err(Error::invalid("`language` belongs to `command`"));
        }
        (None, Some(token)) => {
            let command = TypedCommand::parse(token).ok_or_else(|| {
                Error::invalid(format!("`pending`: `{token}` names no command"))
                    .hint("use the `pending` of an earlier reply")
            })?;
            let id = find(hub, client, &params.session_id, Access::Read)?;
            let shown = Since::New.offset(&hub.read(), client, &id);
            (id, command, shown)
        }
        _ => {
            return Err(Error::invalid("`exec` needs `command` or `pending`").hint(
                r#"for example {"action":"exec","sessionId":"k3v9","command":"make test"}"#,
            ));
        }
    };
    let plan = Plan::end_of(client, &spec, command.clone())?;
    let waited = plan
        .decide(hub, &[(command.from, id.clone())], WaitMode::Any)
        .await?;
    let decision = waited.verdict.into_iter().next().and_then(|part| part.1);
    let is_done = kind(decision.as_ref()) == Some("command");
    let began = begin(hub, &id, &command).await?;
    let ended = match is_done {
        true => end(hub, &id, &command, began.unwrap_or(command.from)).await?,
        false => None,
    };
    let outcome = match (&decision, kind(decision.as_ref())) {
        (_, Some("command")) => Progress::Done,
        (Some(Decision::Exited | Decision::Lost), _) | (_, Some("exit")) => Progress::Exited,
        _ if began.is_none() => Progress::NotBegun,
        (_, Some(_)) => Progress::Input,
        _ => Progress::Running,
    };
    let log_end = hub.read().sessions.log_end(&id);
    let until = ended.map_or(log_end, |ended| ended.at);
    let show = Show {
        dropped: 0,
        // The client may have read on, or may have cleared the log.
        since: began.unwrap_or(command.from).max(shown).min(until),
        until: ended.map(|ended| ended.at),
        max_chars: plan.max_chars(),
        stream: Stream::All,
        moves: Moves::All,
        screen: false,
        oldest: false,
    };
    let polled = polled(hub, client, &id, show).await?;
    let is_over = matches!(outcome, Progress::Done | Progress::Exited);
    answer(Executed {
        session_id: polled.session_id,
        status: polled.status,
        outcome,
        exit_code: match ended {
            Some(ended) => ended.code,
            None => polled.exit_code,
        },
        output: polled.output,
        omitted: polled.omitted,
        omitted_lines: polled.omitted_lines,
        prev_cursor: polled.prev_cursor,
        cursor: polled.cursor,
        elapsed_ms: waited.elapsed_ms,
        input_state: polled.input_state,
        reason: polled.reason,
        screen: polled.screen,
        pending: (!is_over).then(|| command.token()),
        warnings,
    })
}

/// What has decided a wait, if a condition holds.
fn kind(decision: Option<&Decision>) -> Option<&str> {
    match decision {
        Some(Decision::Matched(matched)) => Some(&matched.kind),
        _ => None,
    }
}

/// Types a command with its marks, once the shell is at its prompt.
async fn type_command(
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
    let within_ms = wait_ms.clamp(SHORTEST_PROMPT_MS, PROMPT_MS);
    loop {
        let given = target.input.given();
        let is_shell_said = params.language.is_some();
        let (program, pid) = at_prompt(hub, target, is_shell_said, within_ms).await?;
        let language = params.language.unwrap_or_else(|| language_of(&program));
        let id = CommandId::fresh();
        let mut bytes = id.line(command, language).into_bytes();
        bytes.push(match target.mode {
            Mode::Pty => b'\r',
            Mode::Pipe => b'\n',
        });
        target.await_keyboard(client, patience).await?;
        let line = Line {
            id,
            bytes,
            program,
            pid,
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

/// A command as it is typed into a shell that was at its prompt.
struct Line {
    id: CommandId,
    bytes: Vec<u8>,
    /// Name and pid of the shell.
    program: String,
    pid: Option<u32>,
    /// How many times it had been given something before it was seen at its prompt.
    given: u64,
}

impl Line {
    /// Types it. Returns `None` if somebody has typed since the shell was seen at its prompt: it may run another program
    /// by now.
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
            carrier: match is_shell(&self.program) {
                true => None,
                false => hub.read().sessions.foreground(&target.id),
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
        if let Some(shell) = self.pid {
            input.set_command(AtShell {
                command: typed.clone(),
                shell,
                prompt,
            });
        }
        Ok(Some((typed, sent)))
    }
}

/// Waits until the session's program waits for input, and returns its name and pid. Returns an error if it is not
/// a shell at its prompt within `within_ms`, as far as can be seen. `is_shell_said` is whether the client says that it is
/// a shell.
async fn at_prompt(
    hub: &Hub,
    target: &Target,
    is_shell_said: bool,
    within_ms: u64,
) -> Result<(String, Option<u32>), Error> {
    hub.check_input(&target.id).await;
    let until = [Condition::Input(true), Condition::Exit(true)];
    let conditions = Conditions::new(Some(&until), None, View::Plain)?;
    hub.wait_from_now(&target.id, conditions, Some(within_ms))
        .await;
    let id = &target.id;
    let (state, process) = {
        let state = hub.read();
        let session = state.sessions.get(id);
        let session = session.ok_or_else(|| Error::session_not_found(id.as_str()))?;
        (session.input_state(), state.sessions.foreground_program(id))
    };
    let pid = process.as_ref().map(|process| process.pid);
    let program = process.map_or_else(String::new, |process| process.name);
    let refused = |why: String, hint: &str| {
        Err(Error::new(ErrorCode::NoShell, format!("Session {id} {why}")).hint(hint))
    };
    let other = "`write` and `send_keys` type into any program";
    let perhaps = "`write` and `send_keys` type into any program; if it takes the commands of a shell, give its `language`";
    let is_pty = target.mode == Mode::Pty;
    match state {
        InputState::Password => refused(format!("asks for a password (`{program}`)"), other),
        InputState::Tui => refused(format!("shows a full-screen program, `{program}`"), other),
        _ if is_other(&program) => {
            refused(format!("runs `{program}`, which is not a shell"), other)
        }
        // Without its line editor it reads commands by lines, too, and only the client can know that.
        InputState::Line if is_pty && edits_lines(&program) && !is_shell_said => refused(
            format!("waits for a line of text that `{program}` reads, not for a command"),
            "`write` and `send_keys` type into any program; if the shell runs without its line editor and is at \
             its prompt, give its `language`",
        ),
        InputState::Line if !is_shell_said && is_script(&program, pid) => refused(
            format!(
                "waits for a line of text that a script of `{program}` reads, not for a command"
            ),
            perhaps,
        ),
        InputState::Line if is_shell(&program) => {
            let typed = pid.and_then(|pid| target.input.command_of(pid));
            match unended(hub, target, typed).await? {
                Some(command) => refused(
                    format!("runs a command that has not ended: {}", command.token()),
                    "look with `capture`: if the command asks something, answer with `write` and wait for its end with \
                     `pending`; if the shell is at its prompt, press `C-c` first",
                ),
                None => Ok((program, pid)),
            }
        }
        InputState::Line if !is_carrier(&program) && !is_shell_said => refused(
            format!("runs `{program}`, which is not known as a shell"),
            perhaps,
        ),
        InputState::Unknown => Ok((program, pid)),
        state if waits(state) => Ok((program, pid)),
        _ => {
            let why = format!("is busy: `{program}` does not wait for input");
            match unended(hub, target, target.input.last_command()).await? {
                Some(command) => refused(
                    why,
                    &format!(
                        "wait for the command that it runs with `pending`: {}, or press `C-c` to end it",
                        command.token()
                    ),
                ),
                None => refused(why, other),
            }
        }
    }
}

/// Whether a shell was started for a script or a command line.
fn is_script(program: &str, pid: Option<u32>) -> bool {
    let arguments = pid
        .filter(|_| is_shell(program))
        .and_then(process::arguments);
    arguments.is_some_and(|words| runs_script(words.iter().map(String::as_str)))
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

/// The text before the cursor, which is the shell's prompt before a command is typed; `None` if there is none.
fn prompt(hub: &Hub, id: &SessionId) -> Option<String> {
    hub.change(|state| {
        let session = state.sessions.get_mut(id)?;
        let shown = session.output.screen_if_any()?.before_cursor();
        Some(shown).filter(|text| !text.trim().is_empty())
    })
}

/// Finds where a command's output begins; `None` if the shell has not begun it.
async fn begin(hub: &Hub, id: &SessionId, command: &TypedCommand) -> Result<Option<u64>, Error> {
    let mut search = MarkSearch::new(&command.id, command.from);
    let (mut at, end) = (command.from, hub.read().sessions.log_end(id));
    while search.began().is_none() && at < end {
        let (start, bytes) = hub.read().sessions.read_log(id, at..end, CHUNK)?;
        if start > command.from && at == command.from {
            // The log has dropped the mark, so there was output after it.
            return Ok(Some(start));
        }
        if bytes.is_empty() {
            break;
        }
        search.feed(start, &bytes);
        at = start + bytes.len() as u64;
        tokio::task::yield_now().await;
    }
    Ok(search.began())
}

/// Finds where the output of a command ends that is done. The search goes back from the end of the log, because
/// little follows the command.
async fn end(
    hub: &Hub,
    id: &SessionId,
    command: &TypedCommand,
    began: u64,
) -> Result<Option<Ended>, Error> {
    let log_end = hub.read().sessions.log_end(id);
    let mut length = CHUNK;
    loop {
        let from = log_end.saturating_sub(length as u64).max(began);
        let mut search = MarkSearch::new(&command.id, from);
        let mut at = from;
        while at < log_end {
            let (start, bytes) = hub.read().sessions.read_log(id, at..log_end, CHUNK)?;
            if bytes.is_empty() {
                break;
            }
            search.feed(start, &bytes);
            at = start + bytes.len() as u64;
            tokio::task::yield_now().await;
        }
        if search.ended().is_some() || from == began {
            return Ok(search.ended());
        }
        length *= 4;
    }
}
