//! Finds the output of a shell's command in a log, by the shell's marks.

use std::ops::Range;

use crate::daemon::hub::Hub;
use crate::engine::shell_marks::{CommandOutput, Commands, MarkReader};
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::term::plain::Checkpoint;

/// Bytes read before other tasks have their turn.
const CHUNK: usize = 256 * 1024;

/// Bytes of the end of the log that are searched first. Each further search begins so many times farther back.
const FIRST: u64 = 256 * 1024;
const FARTHER: u64 = 4;

/// Bytes before the output in which the beginning of its line is searched.
const LINE: u64 = 4096;

/// The output of the `n`th command from the end, counted from 1.
pub(super) async fn find(hub: &Hub, id: &SessionId, n: usize) -> Result<CommandOutput, Error> {
    if n == 0 {
        return Err(Error::invalid("`command` counts from 1, the last command"));
    }
    let end = hub.read().sessions.log_end(id);
    let mut length = FIRST;
    loop {
        let from = end.saturating_sub(length);
        let commands = commands(hub, id, from..end).await?;
        match commands.from_end(n) {
            Some(command) => return Ok(command),
            None if from > 0 => length = length.saturating_mul(FARTHER),
            None => {
                let message = match commands.from_end(1) {
                    Some(_) => format!("Session {id} has the output of fewer than {n} commands"),
                    None => format!(
                        "Session {id} has no marks of a shell (OSC 133) that tell commands from prompts"
                    ),
                };
                return Err(Error::new(ErrorCode::NoShell, message).hint(
                    "read it with `tail`, or run commands with `exec`, which returns their output",
                ));
            }
        }
    }
}

/// The commands whose output begins within a range of the log.
async fn commands(hub: &Hub, id: &SessionId, range: Range<u64>) -> Result<Commands, Error> {
    let mut reader = MarkReader::new(range.start);
    let mut commands = Commands::default();
    let mut at = range.start;
    while at < range.end {
        let (start, bytes) = hub.read().sessions.read_log(id, at..range.end, CHUNK)?;
        if bytes.is_empty() {
            break;
        }
        reader.feed(start, &bytes, |placed| commands.add(placed));
        at = start + bytes.len() as u64;
        tokio::task::yield_now().await;
    }
    Ok(commands)
}

/// Where the output of a command stands in the lines of a log.
pub(super) struct Place {
    /// Offsets from the beginning of its first line to its end.
    pub(super) range: Range<u64>,
    /// What stands before the output on its first line: the prompt, if the command was typed before the shell
    /// showed it. Empty for the others, since a terminal goes to the next line at Enter.
    pub(super) before: String,
}

/// Where the output of a command stands.
pub(super) fn place_of(hub: &Hub, id: &SessionId, command: CommandOutput) -> Result<Place, Error> {
    let from = command.start.saturating_sub(LINE);
    let state = hub.read();
    let (start, bytes) = state
        .sessions
        .read_log(id, from..command.start, usize::MAX)?;
    let session = state.sessions.get(id);
    let session = session.ok_or_else(|| Error::session_not_found(id.as_str()))?;
    let layouts = session.output.layouts();
    let end = command.end.unwrap_or(u64::MAX);
    let newline = memchr::memrchr(b'\n', &bytes).map(|at| at + 1);
    // Without a newline the line begins farther back, or with the log.
    let Some(newline) = newline.or((start == 0).then_some(0)) else {
        return Ok(Place {
            range: command.start..end,
            before: String::new(),
        });
    };
    let begin = start + newline as u64;
    let rendered = layouts.render(&bytes[newline..], Checkpoint::at(begin));
    Ok(Place {
        range: begin..end,
        before: rendered.text,
    })
}
