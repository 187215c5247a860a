//! `log` of the stream `input`: what was typed.

use crate::daemon::actions::log::{DEFAULT_LINES, Room};
use crate::daemon::hub::Hub;
use crate::daemon::requests::replies::answer;
use crate::daemon::storage::input_log;
use crate::daemon::transport::Answer;
use crate::protocol::params::Log;
use crate::protocol::reply::{Left, LogLine, LogLines};
use crate::protocol::{Error, SessionId};

/// Returns what was typed: a line per write, with the scope that typed it.
pub(super) fn typed(hub: &Hub, id: &SessionId, params: &Log, room: Room) -> Answer {
    let of_output = params.run.is_some() || params.command.is_some() || params.since_time.is_some();
    let by_bytes = params.offset.is_some() || params.limit.is_some() || params.format.is_some();
    if params.grep.is_some() || of_output || by_bytes {
        return Err(Error::invalid(
            "the stream `input` can be read only by `tail`, `fromLine` and `lines`",
        ));
    }
    let entries = input_log::read(&hub.read().sessions.store.dir(id));
    let total = entries.len() as u64;
    let count = params.tail.or(params.lines).unwrap_or(DEFAULT_LINES);
    let last = total.saturating_sub(count) + 1;
    let from = params.from_line.unwrap_or(last).max(1);
    let lines = (1..).zip(&entries).skip_while(|(n, _)| *n < from);
    let mut size = 0;
    let lines: Vec<LogLine> = lines
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .map(|(n, entry)| {
            let (at, stream) = (Some(entry.at), "input".to_owned());
            LogLine {
                n,
                at,
                stream,
                text: entry.shown(),
                by: Some(entry.by.clone()),
                kind: Some(entry.by.role()),
                offset: None,
                goes_on: false,
            }
        })
        .take_while(|line| {
            size += line.text.len() + room.per_line;
            size <= room.text
        })
        .collect();
    let next_line = lines.last().map_or(from, |line| line.n + 1);
    answer(LogLines {
        lines,
        first_line: 1,
        total_lines: total,
        omitted: Left::default(),
        next_line,
        command: None,
    })
}
