//! Finds the marks of a command in the log: where its output begins and ends.

use std::ops::Range;

use crate::daemon::hub::Hub;
use crate::engine::shell_command::{Ended, MarkSearch, TypedCommand};
use crate::protocol::{Error, SessionId};

/// Bytes of the log that are searched for a mark at once.
const CHUNK: usize = 64 * 1024;

/// Finds where a command's output begins; `None` if the shell has not begun it.
pub(super) async fn begin(
    hub: &Hub,
    id: &SessionId,
    command: &TypedCommand,
) -> Result<Option<u64>, Error> {
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

/// Searches a part of the log for the marks of a command.
pub(super) async fn search(
    hub: &Hub,
    id: &SessionId,
    command: &TypedCommand,
    part: Range<u64>,
) -> Result<MarkSearch, Error> {
    let mut search = MarkSearch::new(&command.id, part.start);
    let mut at = part.start;
    while at < part.end {
        let (start, bytes) = hub.read().sessions.read_log(id, at..part.end, CHUNK)?;
        if bytes.is_empty() {
            break;
        }
        search.feed(start, &bytes);
        at = start + bytes.len() as u64;
        tokio::task::yield_now().await;
    }
    Ok(search)
}

/// Finds where the output of a command ends that is done. The search goes back from the end of the log, because
/// little follows the command.
pub(super) async fn end(
    hub: &Hub,
    id: &SessionId,
    command: &TypedCommand,
    began: u64,
) -> Result<Option<Ended>, Error> {
    let log_end = hub.read().sessions.log_end(id);
    let mut length = CHUNK;
    loop {
        let from = log_end.saturating_sub(length as u64).max(began);
        let search = search(hub, id, command, from..log_end).await?;
        if search.ended().is_some() || from == began {
            return Ok(search.ended());
        }
        length *= 4;
    }
}
