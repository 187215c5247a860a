//! `log` of the stream `input`: what was typed.

use std::collections::VecDeque;

use crate::daemon::actions::log::fitting::Fitting;
use crate::daemon::actions::log::{DEFAULT_LINES, Room};
use crate::daemon::hub::Hub;
use crate::daemon::requests::replies::answer;
use crate::daemon::storage::input_log::{self, Entry};
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
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let wanted = (1..).zip(&entries).skip_while(|(n, _)| *n < from);
    let (lines, omitted) = shown(wanted.take(count), params.from_line.is_none(), room);
    let next_line = lines.back().map_or(from, |line| line.n + 1);
    answer(LogLines {
        lines: lines.into(),
        first_line: 1,
        total_lines: total,
        omitted,
        next_line,
        command: None,
        runs: None,
    })
}

/// As many of the writes as there is room for, the last or the first of them, and what is left out.
fn shown<'e>(
    writes: impl Iterator<Item = (u64, &'e Entry)>,
    keep_last: bool,
    room: Room,
) -> (VecDeque<LogLine>, Left) {
    let mut fitting = Fitting::new(room, keep_last);
    for (n, entry) in writes {
        let is_in = fitting.push(&entry.shown(), |text| LogLine {
            n,
            at: Some(entry.at),
            stream: "input".to_owned(),
            text,
            by: Some(entry.by.clone()),
            kind: Some(entry.by.role()),
            offset: None,
            goes_on: false,
        });
        if !is_in {
            break;
        }
    }
    (fitting.lines, fitting.omitted)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::daemon::actions::log::{LEAN_PER_LINE, LEAN_TEXT};
    use crate::protocol::{Scope, Timestamp};

    #[test]
    fn the_last_writes_are_kept_and_long_ones_are_cut() {
        let write = |text: String| Entry {
            at: Timestamp(0),
            by: Scope::named("a").unwrap(),
            bytes: text.len(),
            text: Some(text),
        };
        let room = Room {
            text: LEAN_TEXT,
            per_line: LEAN_PER_LINE,
            is_lean: true,
        };
        let mut entries = vec![write("x".repeat(30_000))];
        entries.extend((0..40).map(|n| write(format!("{n:1000}"))));
        let numbered = || (1..).zip(&entries);
        let (last, omitted) = shown(numbered(), true, room);
        assert_eq!((last[0].n, last.back().unwrap().n), (19, 41));
        assert_eq!(omitted.lines, 18);
        assert_eq!(omitted.bytes, 30_000 + 17 * 1000);
        let (first, omitted) = shown(numbered(), false, room);
        assert_eq!((first[0].n, first.back().unwrap().n), (1, 22));
        assert!(first[0].text.len() < 2000 && omitted.bytes > 28_000);
    }
}
