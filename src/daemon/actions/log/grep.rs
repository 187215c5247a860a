//! `log` with `grep`: matching lines.

use crate::daemon::actions::log::Room;
use crate::daemon::actions::log::borders::Borders;
use crate::daemon::actions::log::choice::{Choice, origin};
use crate::daemon::actions::log::matches::{Hit, Matches, Wanted};
use crate::daemon::actions::log::stream_part::StreamPart;
use crate::daemon::actions::log::stretch::{read_lines, stretch};
use crate::daemon::hub::Hub;
use crate::engine::pattern::{REGEX_BYTES, compile};
use crate::protocol::bounds::{MAX_CONTEXT, MAX_MATCHES};
use crate::protocol::params::{Log, Stream};
use crate::protocol::reply::LogMatches;
use crate::protocol::{Error, SessionId, Timestamp};
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
    let regex = compile(pattern, ignore_case)?;
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
    hub.catch_up(id).await;
    let total = stretch(hub, id, None, 0)?.total_lines;
    let from = match (params.from_line, params.tail) {
        (Some(line), _) => Some(line),
        (None, Some(tail)) => Some(total.saturating_sub(tail.saturating_sub(1)).max(1)),
        (None, None) => None,
    };
    let stretch = stretch(hub, id, from, choice.offset())?.until(choice.end());
    let sieve = Sieve::new(pattern, ignore_case, REGEX_BYTES, context);
    // With a single stream, a line may have only a part of that stream, and the lines around a match may be far away in
    // the log, so no line may be skipped.
    let sieve = sieve.filter(|_| choice.stream == Stream::All);
    let mut part = StreamPart::of(choice.stream);
    let mut matches = Matches::new(
        room,
        Wanted {
            most,
            context,
            newest: params.newest == Some(true),
        },
    );
    let mut borders = Borders::new(hub, id, params, room);
    let mut last_run = None;
    read_lines(hub, id, &stretch, sieve, |line| {
        if line.n < from.unwrap_or(1) {
            return true;
        }
        matches.read(line.n);
        let own = match &mut part {
            None => Some(line.text.into()),
            Some(part) => part.text(hub, id, &line),
        };
        let Some(own) = own else { return true };
        let text = choice.cut(line.start, &own);
        let found = regex.find(text);
        if found.is_none() && context == 0 {
            return matches.wants_more();
        }
        // Look up the time only for lines that need it.
        let at = if found.is_some() || choice.since.is_some() {
            origin(hub, id, line.start, &mut last_run).0
        } else {
            None
        };
        if !choice.wants(line.start, at) {
            return true;
        }
        let (text, cut) = room.cut(text, found.map_or(0..0, |found| found.range()));
        if found.is_some() {
            borders.line(line.n, line.start);
        }
        let hit = found.map(|_| Hit {
            at,
            offset: line.start,
            cut,
        });
        matches.add(line.n, text, hit)
    })
    .await?;
    let (matches, truncated, omitted) = matches.take();
    Ok(LogMatches {
        runs: borders.take(matches.iter().map(|found| found.n)),
        matches,
        first_line: stretch.first_line,
        total_lines: stretch.total_lines,
        truncated,
        omitted,
    })
}
