//! `log` with `grep`: matching lines.

use std::collections::VecDeque;

use crate::daemon::actions::log::Room;
use crate::daemon::actions::log::choice::{Choice, origin};
use crate::daemon::actions::log::stream_part::StreamPart;
use crate::daemon::actions::log::stretch::{read_lines, stretch};
use crate::daemon::hub::Hub;
use crate::engine::pattern::{REGEX_BYTES, compile};
use crate::protocol::bounds::{MAX_CONTEXT, MAX_MATCHES};
use crate::protocol::params::{Log, Stream};
use crate::protocol::reply::{Left, LogMatch, LogMatches};
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
    if context > MAX_CONTEXT || !(1..=MAX_MATCHES).contains(&most) {
        return Err(Error::invalid(format!(
            "`context` must be at most {MAX_CONTEXT}, and `maxMatches` between 1 and {MAX_MATCHES}"
        )));
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
    let newest = params.newest == Some(true);
    let mut matches: VecDeque<LogMatch> = VecDeque::new();
    let mut before: VecDeque<String> = VecDeque::new();
    let mut omitted = Left::default();
    let mut truncated = false;
    let mut size = 0;
    let mut last_run = None;
    let mut last_line = 0;
    read_lines(hub, id, &stretch, sieve, |line| {
        if line.n < from.unwrap_or(1) {
            return true;
        }
        if line.n > last_line + 1 {
            // Lines in between were skipped, so earlier lines are no context of what follows.
            before.clear();
        }
        last_line = line.n;
        let own = match &mut part {
            None => Some(line.text.into()),
            Some(part) => part.text(hub, id, &line),
        };
        let Some(own) = own else { return true };
        let text = choice.cut(line.start, &own);
        let found = regex.find(text);
        let hit = found.is_some();
        if !hit && context == 0 {
            return newest || !truncated;
        }
        // Look up the time only for lines that need it.
        let at = match hit || choice.since.is_some() {
            true => origin(hub, id, line.start, &mut last_run).0,
            false => None,
        };
        if !choice.wants(line.start, at) {
            return true;
        }
        let (text, cut) = room.cut(text, found.map_or(0..0, |found| found.range()));
        // As grep(1), show a model each line once, after the last match before it.
        let followed = match room.is_lean {
            true => usize::from(!hit && context > 0),
            false => context,
        };
        for open in matches.iter_mut().rev().take(followed) {
            if open.n + context as u64 >= line.n && open.after.len() < context {
                size += text.len() + room.per_line;
                if size <= room.text {
                    open.after.push(text.to_string());
                } else {
                    omitted.bytes += text.len() as u64;
                    omitted.lines += 1;
                }
            }
        }
        if hit
            && room.is_lean
            && let Some(last) = matches.back()
        {
            let shown = last.n + last.after.len() as u64;
            let new = usize::try_from(line.n.saturating_sub(shown + 1)).unwrap_or(usize::MAX);
            before.drain(..before.len().saturating_sub(new));
        }
        let around: usize = before.iter().map(|line| line.len() + room.per_line).sum();
        let full = size + text.len() + room.per_line + around > room.text && !matches.is_empty();
        let full = full || matches.len() == most;
        if hit && newest && full {
            truncated = true;
            let needed = text.len() + room.per_line + around;
            while matches.len() == most || (size + needed > room.text && !matches.is_empty()) {
                size =
                    size.saturating_sub(matches.pop_front().map_or(0, |gone| size_of_match(&gone)));
            }
        }
        if hit && full && !newest {
            truncated = true;
        } else if hit {
            omitted.bytes += cut;
            size += text.len() + room.per_line + around;
            matches.push_back(LogMatch {
                n: line.n,
                at: at.filter(|_| !room.is_lean),
                offset: Some(line.start).filter(|_| !room.is_lean),
                text: text.to_string(),
                before: before.iter().cloned().collect(),
                after: Vec::new(),
            });
        }
        if context > 0 {
            before.push_back(text.into_owned());
            while before.len() > context
                || before.iter().map(String::len).sum::<usize>() > room.text
            {
                before.pop_front();
            }
        }
        let complete = matches
            .back()
            .is_none_or(|m| m.n + context as u64 <= line.n);
        newest || !(truncated && complete)
    })
    .await?;
    Ok(LogMatches {
        matches: matches.into(),
        first_line: stretch.first_line,
        total_lines: stretch.total_lines,
        truncated,
        omitted,
    })
}

/// Bytes of text in a match, with its context.
pub(super) fn size_of_match(found: &LogMatch) -> usize {
    let around = found.before.iter().chain(&found.after);
    found.text.len() + around.map(String::len).sum::<usize>()
}
