//! `log` with `grep`: matching lines.

use regex::Regex;

use crate::daemon::actions::log::Room;
use crate::daemon::actions::log::borders::Borders;
use crate::daemon::actions::log::choice::Choice;
use crate::daemon::actions::log::lookup::Lookup;
use crate::daemon::actions::log::matches::{Hit, Matches, Wanted};
use crate::daemon::actions::log::stretch::{read_lines, stretch};
use crate::daemon::hub::Hub;
use crate::engine::pattern::{REGEX_BYTES, check_line, compile};
use crate::protocol::bounds::{MAX_CONTEXT, MAX_MATCHES};
use crate::protocol::params::{Log, Stream};
use crate::protocol::reply::LogMatches;
use crate::protocol::{Error, SessionId, Timestamp};
use crate::term::plain::reader::Shown;
use crate::term::plain::sieve::Sieve;

/// Default `maxMatches`.
pub(super) const DEFAULT_MATCHES: usize = 50;

/// Returns matching lines, and the lines around them.
pub(super) async fn grep(
    hub: &Hub,
    id: &SessionId,
    params: &Log,
    since: Option<Timestamp>,
    room: Room,
) -> Result<LogMatches, Error> {
    let choice = Choice::new(hub, id, params, since).await?;
    let pattern = params.grep.as_deref().unwrap_or_default();
    let ignore_case = params.ignore_case == Some(true);
    check_line(pattern)?;
    let regex = compile(pattern, ignore_case)?;
    let wanted = wanted(params)?;
    hub.catch_up(id).await;
    let from = first_line(hub, id, params)?;
    let stretch = stretch(hub, id, from, choice.offset())?.until(choice.end());
    let sieve = Sieve::new(pattern, ignore_case, REGEX_BYTES, wanted.context);
    // With a single stream, a line may have only a part of that stream, and the lines around a match may be far away in
    // the log, so no line may be skipped.
    let sieve = sieve.filter(|_| choice.stream == Stream::All);
    let mut search = Search {
        lookup: Lookup::new(hub, id, choice.stream),
        regex,
        least: from.unwrap_or(1),
        choice,
        room,
        has_context: wanted.context > 0,
        borders: Borders::new(hub, id, params, room),
        matches: Matches::new(room, wanted),
    };
    read_lines(hub, id, &stretch, sieve, |line| search.take(&line)).await?;
    let (matches, truncated, omitted) = search.matches.take();
    Ok(LogMatches {
        runs: search.borders.take(matches.iter().map(|found| found.n)),
        matches,
        first_line: stretch.first_line,
        total_lines: stretch.total_lines,
        truncated,
        omitted,
    })
}

/// How many matches and lines around them are wanted.
fn wanted(params: &Log) -> Result<Wanted, Error> {
    let context = params.context.unwrap_or(0);
    let most = params.max_matches.unwrap_or(DEFAULT_MATCHES);
    if context > MAX_CONTEXT {
        let message = format!("`context` must be at most {MAX_CONTEXT}, not {context}");
        return Err(Error::invalid(message));
    }
    if !(1..=MAX_MATCHES).contains(&most) {
        let message = format!("`maxMatches` must be between 1 and {MAX_MATCHES}, not {most}");
        return Err(Error::invalid(message));
    }
    Ok(Wanted {
        most,
        context,
        newest: params.newest == Some(true),
    })
}

/// The first line that is searched, if the request has one.
fn first_line(hub: &Hub, id: &SessionId, params: &Log) -> Result<Option<u64>, Error> {
    let total = stretch(hub, id, None, 0)?.total_lines;
    Ok(match (params.from_line, params.tail) {
        (Some(line), _) => Some(line),
        (None, Some(tail)) => Some(total.saturating_sub(tail.saturating_sub(1)).max(1)),
        (None, None) => None,
    })
}

/// The search of a log for a pattern.
struct Search<'a> {
    lookup: Lookup<'a>,
    regex: Regex,
    choice: Choice,
    /// The first line that is searched.
    least: u64,
    room: Room,
    /// Whether lines around the matches are wanted.
    has_context: bool,
    borders: Borders,
    matches: Matches,
}

impl Search<'_> {
    /// Searches the next line. Returns whether more lines are wanted.
    fn take(&mut self, line: &Shown<'_>) -> bool {
        if line.n < self.least {
            return true;
        }
        self.matches.read(line.n);
        let Some(own) = self.lookup.text(line) else {
            return true;
        };
        let text = self.choice.cut(line.start, &own);
        let found = self.regex.find(text);
        if found.is_none() && !self.has_context {
            return self.matches.wants_more();
        }
        // Look up the time only for lines that need it.
        let at = if found.is_some() || self.choice.since.is_some() {
            self.lookup.origin(line.start).0
        } else {
            None
        };
        if !self.choice.wants(line.start, at) {
            return true;
        }
        let range = found.map_or(0..0, |found| found.range());
        let (text, cut) = self.room.cut(text, range);
        if found.is_some() {
            self.borders.line(line.n, line.start);
        }
        let hit = found.map(|_| Hit {
            at,
            offset: line.start,
            cut,
        });
        self.matches.add(line.n, text, hit)
    }
}
