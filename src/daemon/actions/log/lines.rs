//! `log` by lines.

use crate::daemon::actions::log::borders::Borders;
use crate::daemon::actions::log::choice::Choice;
use crate::daemon::actions::log::fitting::Fitting;
use crate::daemon::actions::log::lookup::Lookup;
use crate::daemon::actions::log::stretch::{Stretch, read_lines, stretch};
use crate::daemon::actions::log::{DEFAULT_LINES, Room};
use crate::daemon::hub::Hub;
use crate::protocol::params::Log;
use crate::protocol::reply::{LogLine, LogLines};
use crate::protocol::{Error, SessionId, Timestamp};
use crate::term::plain::reader::Shown;

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
    let choice = Choice::new(hub, id, params, since).await?;
    let count = params.tail.or(params.lines).unwrap_or(DEFAULT_LINES);
    hub.catch_up(id).await;
    let total = stretch(hub, id, None, 0)?.total_lines;
    let from = match params.from_line {
        Some(line) => Some(line.max(1)),
        None if !choice.is_of_all() && !choice.is_of_the_end() => None,
        None => Some(total.saturating_sub(count - 1).max(1)),
    };
    let stretch = stretch(hub, id, from, choice.offset())?.until(choice.end());
    let keep_last = params.from_line.is_none();
    let mut collected = Collected {
        hub,
        id,
        lookup: Lookup::new(hub, id, choice.stream),
        choice,
        least: from.unwrap_or(1),
        count,
        keep_last,
        origins: params.origins == Some(true),
        is_lean: room.is_lean,
        borders: Borders::new(hub, id, params, room),
        fitting: Fitting::new(room, keep_last),
        selected: 0,
        is_complete: true,
    };
    read_lines(hub, id, &stretch, None, |line| collected.take(&line)).await?;
    let is_whole = collected.is_whole(&stretch);
    Ok((collected.reply(&stretch), is_whole))
}

/// The lines of a reply, collected in the order of the log.
struct Collected<'a> {
    hub: &'a Hub,
    id: &'a SessionId,
    choice: Choice,
    /// The first line that may be selected.
    least: u64,
    /// Maximum number of lines.
    count: u64,
    /// Whether the last lines are wanted, and not the first.
    keep_last: bool,
    /// Whether lines have their offsets, and their times also in a reply for a model.
    origins: bool,
    is_lean: bool,
    lookup: Lookup<'a>,
    borders: Borders,
    fitting: Fitting,
    /// Number of selected lines that were read.
    selected: u64,
    /// Whether no selected line was left out because the reply is full.
    is_complete: bool,
}

impl Collected<'_> {
    /// Adds a line if it is selected. Returns whether more lines are wanted.
    fn take(&mut self, line: &Shown<'_>) -> bool {
        if line.n < self.least {
            return true;
        }
        let (at, stream) = self.lookup.origin(line.start);
        if !self.choice.wants(line.start, at) {
            return true;
        }
        let Some(own) = self.lookup.text(line) else {
            return true;
        };
        let enough = self.fitting.lines.len() as u64 == self.count;
        if enough && !self.keep_last {
            self.is_complete = false;
            return false;
        }
        if enough {
            self.fitting.pop_first();
        }
        self.selected += 1;
        self.borders.line(line.n, line.start);
        let text = self.choice.cut(line.start, &own);
        let stream = if stream == 1 { "stderr" } else { "stdout" };
        self.is_complete = self.fitting.push(text, |text| LogLine {
            n: line.n,
            at: at.filter(|_| !self.is_lean || self.origins),
            stream: stream.to_owned(),
            text,
            by: None,
            kind: None,
            offset: self.origins.then_some(line.start),
            goes_on: self.origins && line.goes_on,
        });
        self.is_complete
    }

    /// Whether none of the last lines was dropped before it was read.
    fn is_whole(&self, stretch: &Stretch) -> bool {
        if !self.choice.is_of_all()
            || !self.keep_last
            || self.selected >= stretch.lines_from(self.least)
        {
            return true;
        }
        let state = self.hub.read();
        let slot = state.sessions.io(self.id);
        let slot = slot.and_then(|io| state.sessions.slot(io));
        slot.is_none_or(|slot| slot.first() <= stretch.begin())
    }

    /// The lines, and where the next request goes on.
    fn reply(mut self, stretch: &Stretch) -> LogLines {
        // Of one that has no end in the log, only the last lines are read.
        let is_counted = self.keep_last && !self.choice.is_of_the_end();
        let mut is_over = false;
        if let Some(command) = &mut self.choice.command {
            command.lines = is_counted.then_some(self.selected);
            is_over = self.is_complete && !command.running;
        }
        let Fitting { lines, omitted, .. } = self.fitting;
        // What follows the output of a command that has ended is no part of it.
        let next_line = match lines.back() {
            Some(line) if !is_over => line.n + 1,
            _ => self.least.max(stretch.total_lines + 1),
        };
        LogLines {
            runs: self.borders.take(lines.iter().map(|line| line.n)),
            lines: lines.into(),
            first_line: stretch.first_line,
            total_lines: stretch.total_lines,
            omitted,
            next_line,
            command: self.choice.command,
        }
    }
}
