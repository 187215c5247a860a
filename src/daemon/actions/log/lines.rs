//! `log` by lines.

use crate::daemon::actions::log::borders::Borders;
use crate::daemon::actions::log::choice::{Choice, origin};
use crate::daemon::actions::log::fitting::Fitting;
use crate::daemon::actions::log::stream_part::StreamPart;
use crate::daemon::actions::log::stretch::{read_lines, stretch};
use crate::daemon::actions::log::{DEFAULT_LINES, Room};
use crate::daemon::hub::Hub;
use crate::protocol::params::{Log, Stream};
use crate::protocol::reply::{LogLine, LogLines};
use crate::protocol::{Error, SessionId, Timestamp};

/// How often the last lines are read of a log that drops them before.
const TRIES: usize = 10;

/// Returns lines of clean text. The last ones of a log that drops its lines faster than they are read are read again.
pub(super) async fn lines(
    hub: &Hub,
    id: &SessionId,
    params: &Log,
    since: Option<Timestamp>,
    room: Room,
) -> Result<LogLines, Error> {
    let mut tries = 1;
    loop {
        let (lines, is_whole) = read(hub, id, params, since, room).await?;
        if is_whole || tries == TRIES {
            return Ok(lines);
        }
        tries += 1;
    }
}

/// The lines, and whether none of the last ones was dropped meanwhile.
async fn read(
    hub: &Hub,
    id: &SessionId,
    params: &Log,
    since: Option<Timestamp>,
    room: Room,
) -> Result<(LogLines, bool), Error> {
    let mut choice = Choice::new(hub, id, params, since).await?;
    let origins = params.origins == Some(true);
    let count = params.tail.or(params.lines).unwrap_or(DEFAULT_LINES);
    hub.catch_up(id).await;
    let total = stretch(hub, id, None, 0)?.total_lines;
    let filtered = choice.since.is_some() || choice.part.is_some() || choice.stream != Stream::All;
    let from = match params.from_line {
        Some(line) => Some(line.max(1)),
        None if filtered && !choice.is_of_the_end() => None,
        None => Some(total.saturating_sub(count - 1).max(1)),
    };
    let stretch = stretch(hub, id, from, choice.offset())?.until(choice.end());
    let least = from.unwrap_or(1);
    let keep_last = params.from_line.is_none();
    let mut fitting = Fitting::new(room, keep_last);
    let mut borders = Borders::new(hub, id, params, room);
    let (mut read, mut is_read) = (0, true);
    let mut last_run = None;
    let mut part = StreamPart::of(choice.stream);
    read_lines(hub, id, &stretch, None, |line| {
        if line.n < least {
            return true;
        }
        let (at, first) = origin(hub, id, line.start, &mut last_run);
        if !choice.wants(line.start, at) {
            return true;
        }
        let (own, stream) = match &mut part {
            None => (line.text.into(), first),
            Some(part) => match part.text(hub, id, &line) {
                Some(own) => (own, part.number()),
                None => return true,
            },
        };
        let enough = fitting.lines.len() as u64 == count;
        if enough && !keep_last {
            is_read = false;
            return false;
        }
        if enough {
            fitting.pop_first();
        }
        read += 1;
        borders.line(line.n, line.start);
        let stream = if stream == 1 { "stderr" } else { "stdout" };
        is_read = fitting.push(choice.cut(line.start, &own), |text| LogLine {
            n: line.n,
            at: at.filter(|_| !room.is_lean || origins),
            stream: stream.to_owned(),
            text,
            by: None,
            kind: None,
            offset: origins.then_some(line.start),
            goes_on: origins && line.goes_on,
        });
        is_read
    })
    .await?;
    let is_whole = filtered || !keep_last || read >= stretch.lines_from(least) || {
        let state = hub.read();
        let slot = state.sessions.io(id).and_then(|io| state.sessions.slot(io));
        slot.is_none_or(|slot| slot.first() <= stretch.begin())
    };
    let Fitting { lines, omitted, .. } = fitting;
    let after_all = least.max(stretch.total_lines + 1);
    // Of one that has no end in the log, only the last lines are read.
    let is_counted = keep_last && !choice.is_of_the_end();
    let mut is_over = false;
    if let Some(command) = &mut choice.command {
        command.lines = is_counted.then_some(read);
        is_over = is_read && !command.running;
    }
    // What follows the output of a command that has ended is no part of it.
    let next_line = match lines.back() {
        Some(line) if !is_over => line.n + 1,
        _ => after_all,
    };
    let lines = LogLines {
        runs: borders.take(lines.iter().map(|line| line.n)),
        lines: lines.into(),
        first_line: stretch.first_line,
        total_lines: stretch.total_lines,
        omitted,
        next_line,
        command: choice.command,
    };
    Ok((lines, is_whole))
}
