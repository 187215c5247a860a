//! `exec`: types a command into the shell that a session runs, and returns its output and exit code.

mod line;
mod marks;
mod prompt;

use std::rc::Rc;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::{Client, Moves};
use crate::daemon::requests::find::find;
use crate::daemon::requests::limits::{max_chars, wait_ms};
use crate::daemon::requests::new_output::{Show, Since, cursor, joined, polled};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::target::Target;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::transport::Answer;
use crate::engine::matcher::Decision;
use crate::engine::registry::Access;
use crate::engine::shell_command::TypedCommand;
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::params::{Exec, Stream};
use crate::protocol::reply::{Executed, Progress, UntoldCommand, Warning};
use crate::protocol::{Error, SessionId};

use line::type_command;
use marks::{begin, end, search};
use prompt::over_without_end;

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
    let Requested {
        id,
        command,
        shown,
        before,
    } = requested(hub, client, &params, &mut warnings).await?;
    let plan = Plan::end_of(client, &spec, command.clone())?;
    let waited = plan
        .decide(hub, &[(command.from, id.clone())], WaitMode::Any)
        .await?;
    let decision = waited.verdict.into_iter().next().and_then(|part| part.1);
    let began = begin(hub, &id, &command).await?;
    let mut outcome = outcome(decision.as_ref(), began.is_some());
    let ended = match outcome {
        Progress::Done => end(hub, &id, &command, began.unwrap_or(command.from)).await?,
        _ => None,
    };
    let over = match (outcome, began) {
        (Progress::Done | Progress::Exited, _) | (_, None) => None,
        _ => over_without_end(hub, &id, &command).await,
    };
    if over.is_some() {
        outcome = Progress::Done;
    }
    let (log_end, shown_by_now) = {
        let state = hub.read();
        let session = state.sessions.get(&id);
        let shown = session.map_or(0, |session| client.shown(session));
        (state.sessions.log_end(&id), shown)
    };
    let until = ended.map_or(log_end, |ended| ended.at);
    let show = Show {
        dropped: 0,
        // The client may have read on, or may have cleared the log.
        since: began.unwrap_or(command.from).max(shown).min(until),
        until: ended.map(|ended| ended.at),
        max_chars: plan.max_chars(),
        stream: Stream::All,
        // The client may have been shown what follows the command, and is not shown it again.
        moves: if shown_by_now > until {
            Moves::Nothing
        } else {
            Moves::All
        },
        screen: false,
        oldest: false,
    };
    // Another request of the client may have told it by now.
    let before = match before {
        Some(before) => untold(hub, client, &id, &before, command.from).await?,
        None => None,
    };
    let polled = polled(hub, client, &id, show).await?;
    if let Some(ended) = ended {
        // A later `wait` for the end of a command is about another one.
        client.search_from(&id, ended.after);
    }
    let is_over = matches!(outcome, Progress::Done | Progress::Exited);
    client.await_command(&id, (!is_over).then(|| command.clone()));
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
        reason: joined([over.map(str::to_owned), polled.reason]),
        screen: polled.screen,
        pending: (!is_over).then(|| command.token()),
        before,
        warnings,
    })
}

/// What a request is about.
struct Requested {
    id: SessionId,
    /// The command that it types, or names with `pending`.
    command: TypedCommand,
    /// The client has been shown the output before this offset.
    shown: u64,
    /// The command before it, of which the client may not know the end.
    before: Option<TypedCommand>,
}

/// Finds the session, and types the command.
async fn requested(
    hub: &Hub,
    client: &Rc<Client>,
    params: &Exec,
    warnings: &mut Vec<Warning>,
) -> Result<Requested, Error> {
    match (&params.command, &params.pending) {
        (Some(line), None) => {
            let target = Rc::new(Target::find(hub, client, &params.session_id)?);
            let id = target.id.clone();
            let last = || target.input.last_command().map(|typed| typed.command);
            let before = client.awaited_command(&id).or_else(last);
            let command = type_command(hub, client, &target, line, params, warnings).await?;
            Ok(Requested {
                id,
                shown: command.from,
                command,
                before,
            })
        }
        (None, Some(_)) if params.language.is_some() => {
            Err(Error::invalid("`language` belongs to `command`"))
        }
        (None, Some(token)) => {
            let command = TypedCommand::parse(token).ok_or_else(|| {
                Error::invalid(format!("`pending`: `{token}` names no command"))
                    .hint("use the `pending` of an earlier reply")
            })?;
            let id = find(hub, client, &params.session_id, Access::Read)?;
            let shown = Since::New.offset(&hub.read(), client, &id);
            Ok(Requested {
                id,
                command,
                shown,
                before: None,
            })
        }
        (Some(_), Some(_)) => Err(Error::invalid(
            "`exec` takes `command` or `pending`, not both: `pending` waits for a command that was typed before",
        )),
        (None, None) => Err(Error::invalid("`exec` needs `command` or `pending`")
            .hint(r#"for example {"action":"exec","sessionId":"k3v9","command":"make test"}"#)),
    }
}

/// A command that has ended before the next one, typed at offset `next`, without that the client was told: it still
/// waits for the end, or has not been shown the last output.
async fn untold(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    command: &TypedCommand,
    next: u64,
) -> Result<Option<UntoldCommand>, Error> {
    let told = if client.awaited_command(id).as_ref() == Some(command) {
        0
    } else {
        // What follows is mostly no more than a prompt.
        Since::New.offset(&hub.read(), client, id)
    };
    let from = told.max(command.from);
    let found = search(hub, id, command, from..next).await?;
    let ended = found.ended().filter(|ended| ended.at > told);
    Ok(ended.map(|ended| UntoldCommand {
        exit_code: ended.code,
        since: cursor(found.began().unwrap_or(from)),
    }))
}

/// How far the command is.
fn outcome(decision: Option<&Decision>, has_begun: bool) -> Progress {
    let kind = match decision {
        Some(Decision::Matched(matched)) => Some(matched.kind.as_str()),
        _ => None,
    };
    match (decision, kind) {
        (_, Some("command")) => Progress::Done,
        (Some(Decision::Exited | Decision::Lost), _) | (_, Some("exit")) => Progress::Exited,
        _ if !has_begun => Progress::NotBegun,
        (_, Some(_)) => Progress::Input,
        _ => Progress::Running,
    }
}
