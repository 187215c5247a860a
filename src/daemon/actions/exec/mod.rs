//! `exec`: types a command into the shell that a session runs, and returns its output and exit code.
//!
//! [`line`] types the command, if [`prompt`] says that the shell is at its prompt; [`marks`] finds the command in the
//! log, and [`course`] says how far it is.

mod course;
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
use crate::engine::registry::Access;
use crate::engine::shell_command::TypedCommand;
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::params::{Exec, Stream};
use crate::protocol::reply::{Executed, UntoldCommand, Warning};
use crate::protocol::{Error, SessionId};

use course::Course;
use line::type_command;
use marks::search;

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
    let asked = requested(hub, client, &params, &mut warnings).await?;
    let (id, command) = (&asked.id, &asked.command);
    let plan = Plan::end_of(client, &spec, command.clone())?;
    let waited = plan
        .decide(hub, &[(command.from, id.clone())], WaitMode::Any)
        .await?;
    let decision = waited.verdict.into_iter().next().and_then(|part| part.1);
    let course = Course::of(hub, id, command, decision.as_ref()).await?;
    let show = show(hub, client, &asked, &course, plan.max_chars());
    // Another request of the client may have told it by now.
    let before = match &asked.before {
        Some(before) => untold(hub, client, id, before, command.from).await?,
        None => None,
    };
    let polled = polled(hub, client, id, show).await?;
    if let Some(ended) = course.ended {
        // A later `wait` for the end of a command is about another one.
        client.search_from(id, ended.after);
    }
    let is_over = course.is_over();
    client.await_command(id, (!is_over).then(|| command.clone()));
    answer(Executed {
        session_id: polled.session_id,
        status: polled.status,
        outcome: course.outcome,
        exit_code: match course.ended {
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
        reason: joined([course.over_because.map(str::to_owned), polled.reason]),
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
            let last = || target.input.shell.last().map(|typed| typed.command);
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

/// The output of the command that the reply shows.
fn show(hub: &Hub, client: &Client, asked: &Requested, course: &Course, max_chars: usize) -> Show {
    let (id, began) = (&asked.id, course.began.unwrap_or(asked.command.from));
    let (log_end, shown_by_now) = {
        let state = hub.read();
        let session = state.sessions.get(id);
        let shown = session.map_or(0, |session| client.shown(session));
        (state.sessions.log_end(id), shown)
    };
    let until = course.ended.map_or(log_end, |ended| ended.at);
    Show {
        dropped: 0,
        // The client may have read on, or may have cleared the log.
        since: began.max(asked.shown).min(until),
        until: course.ended.map(|ended| ended.at),
        max_chars,
        stream: Stream::All,
        // The client may have been shown what follows the command, and is not shown it again.
        moves: if shown_by_now > until {
            Moves::Nothing
        } else {
            Moves::All
        },
        screen: false,
        oldest: false,
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
