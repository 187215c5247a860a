//! `log` and `clear`: the output again, and forgetting it.

use std::collections::VecDeque;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::connection::{Client, MAX_CHARS};
use super::super::hub::Hub;
use super::super::input_log;
use super::super::log_reader::Run;
use super::super::text::{Source, finish};
use super::{Answer, answer, checked_time, find};
use crate::engine::pattern::compile;
use crate::engine::registry::Access;
use crate::protocol::params::{Clear, Log, LogFormat, Stream};
use crate::protocol::reply::{
    Cleared, Left, LogBytes, LogLine, LogLines, LogMatch, LogMatches, LogTime,
};
use crate::protocol::{Error, SessionId, Timestamp};
use crate::term::plain::reader::{Reader, Shown};
use crate::term::plain::{Checkpoint, render};

/// `limit` where nobody says otherwise, and at most.
const DEFAULT_LIMIT: u64 = 65_536;
const MAX_LIMIT: u64 = 1_048_576;

/// `lines` where nobody says otherwise, and at most.
const DEFAULT_LINES: u64 = 100;
const MAX_LINES: u64 = 100_000;

/// `maxMatches` where nobody says otherwise, and `context` at most.
const DEFAULT_MATCHES: usize = 50;
const MAX_MATCHES: usize = 10_000;
const MAX_CONTEXT: usize = 1000;

/// Text in a reply at most, in bytes: no line is longer than a reader's `maxChars`,
/// and lines come until there is no more room.
const MAX_TEXT: usize = 4 << 20;

/// Bytes looked at before others have their turn: half a millisecond or so, also where
/// they need not be drawn.
const CHUNK: usize = 64 * 1024;
const FAST_CHUNK: usize = 256 * 1024;

/// By bytes, by lines, or matching lines.
pub(super) async fn log(hub: &Hub, client: &Client, params: Log) -> Answer {
    let by_lines = params.from_line.is_some() || params.lines.is_some() || params.tail.is_some();
    let by_bytes = params.offset.is_some() || params.limit.is_some();
    if by_bytes && (by_lines || params.grep.is_some()) {
        return Err(Error::invalid(
            "`offset` and `limit` count bytes; `fromLine`, `lines`, `tail` and `grep` count lines",
        ));
    }
    let with_grep = [
        ("ignoreCase", params.ignore_case.is_some()),
        ("context", params.context.is_some()),
        ("maxMatches", params.max_matches.is_some()),
        ("newest", params.newest.is_some()),
    ];
    if let Some((name, _)) = with_grep.iter().find(|(_, given)| *given)
        && params.grep.is_none()
    {
        return Err(Error::invalid(format!("`{name}` goes with `grep`")));
    }
    if params.times.is_some() && (by_lines || params.grep.is_some()) {
        return Err(Error::invalid(
            "`times` goes with `offset`: lines have their times",
        ));
    }
    if params.tail.is_some() && (params.lines.is_some() || params.from_line.is_some()) {
        return Err(Error::invalid(
            "`tail` is the last lines; `fromLine` and `lines` are others",
        ));
    }
    let since_time = params.since_time.as_deref();
    let since_time = since_time.map(|text| checked_time("sinceTime", text));
    let since_time = since_time.transpose()?;
    let id = find(hub, client, &params.session_id, Access::Look)?;
    if params.stream == Some(Stream::Input) {
        return typed(hub, &id, &params);
    }
    if params.grep.is_some() {
        return grep(hub, &id, params, since_time).await;
    }
    if by_lines || since_time.is_some() || params.run.is_some() {
        if params
            .format
            .is_some_and(|format| format != LogFormat::Plain)
        {
            return Err(Error::invalid(
                "lines are clean text; `format` goes with `offset`",
            ));
        }
        return lines(hub, &id, params, since_time).await;
    }
    bytes(hub, &id, &params)
}

fn bytes(hub: &Hub, id: &SessionId, params: &Log) -> Answer {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Error::invalid(format!(
            "`limit` is between 1 and {MAX_LIMIT} bytes, not {limit}"
        )));
    }
    let state = hub.state();
    let (first, end) = (state.log_first(id), state.log_end(id));
    let (Some(session), Some(driver)) = (state.registry.get(id), state.drivers.get(id)) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let finished = session.life.status().is_finished();
    let offset = params.offset.unwrap_or(0).clamp(first, end.max(first));
    let to = offset.saturating_add(limit).min(end);
    let source = Source {
        output: &session.output,
        log: &driver.log,
    };
    let stream = match params.stream {
        Some(Stream::Stdout) => Some(0),
        Some(Stream::Stderr) => Some(1),
        _ => None,
    };
    let (start, raw) = match stream {
        None => driver.log.read_all(offset, to),
        Some(stream) => {
            let runs = driver.log.runs(offset, to);
            let runs = runs.iter().filter(|run| run.stream == stream);
            (
                offset,
                runs.flat_map(|run| driver.log.read_all(run.start, run.end).1)
                    .collect(),
            )
        }
    };
    let format = params.format.unwrap_or_default();
    let (output, next_offset) = match format {
        LogFormat::Raw => (String::from_utf8_lossy(&raw).into_owned(), to),
        LogFormat::Base64 => (STANDARD.encode(&raw), to),
        LogFormat::Plain if stream.is_some() => (render(&raw, source.layout(), false).text, to),
        LogFormat::Plain => plain(&source, start, raw, to, end, finished),
    };
    answer(LogBytes {
        output,
        offset: start,
        next_offset,
        first_offset: first,
        total_bytes: end,
        eof: finished && next_offset >= end,
        times: params.times.unwrap_or(false).then(|| {
            let mut runs = driver.log.runs(start, to);
            // Many short writes have a record each, and nobody looks at more than the second.
            runs.dedup_by_key(|run| run.at.millis().div_euclid(1000));
            let time = |run: &Run| LogTime {
                offset: run.start,
                at: run.at,
            };
            runs.iter().map(time).collect()
        }),
    })
}

/// Bytes more to look at when a range holds nothing but the beginning of a
/// sequence; longer ones count as finished.
const SEQUENCE: u64 = 4096;

/// Clean text of a range, and where to go on. A sequence or character that the
/// range cuts comes whole with the next range.
fn plain(
    source: &Source<'_>,
    start: u64,
    mut raw: Vec<u8>,
    to: u64,
    end: u64,
    finished: bool,
) -> (String, u64) {
    let alt = start < to && source.alt_at(start, to);
    let mut rendered = render(&raw, source.layout(), alt);
    let mut more = 1;
    while rendered.consumed == 0 && to + more / 2 < end && more <= SEQUENCE {
        raw = source.log.read_all(start, end.min(to + more)).1;
        rendered = render(&raw, source.layout(), alt);
        more *= 2;
    }
    if finished && start + raw.len() as u64 == end {
        finish(&mut rendered, &raw);
    }
    let consumed = match rendered.consumed {
        0 => raw.len(),
        consumed => consumed,
    };
    (rendered.text, start + consumed as u64)
}

/// A stretch of lines to read.
struct Stretch {
    at: Checkpoint,
    end: u64,
    first_line: u64,
    total_lines: u64,
}

/// From where line `from` can be read.
fn stretch(hub: &Hub, id: &SessionId, from: Option<u64>, offset: u64) -> Result<Stretch, Error> {
    let state = hub.state();
    let (Some(session), Some(_)) = (state.registry.get(id), state.drivers.get(id)) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let output = &session.output;
    let beginning = Checkpoint {
        offset: output.first(),
        line: output.first_line(),
        row: 0,
        alt: false,
        exact: true,
    };
    let by_line = from.and_then(|line| output.checkpoint_before_line(line));
    let by_offset = output
        .checkpoint_before(offset)
        .filter(|at| offset > 0 && at.exact);
    Ok(Stretch {
        at: by_line.or(by_offset).unwrap_or(beginning),
        end: output.end(),
        first_line: output.first_line(),
        total_lines: output.total_lines(),
    })
}

/// Reads lines from a stretch until `take` says that it is enough.
async fn read_lines(
    hub: &Hub,
    id: &SessionId,
    stretch: &Stretch,
    mut take: impl FnMut(Shown<'_>) -> bool,
) -> Result<(), Error> {
    let layout = {
        let state = hub.state();
        let session = state.registry.get(id);
        session
            .ok_or_else(|| Error::session_not_found(id.as_str()))?
            .output
            .layout()
    };
    let mut reader = Reader::new(layout, stretch.at);
    let mut at = stretch.at.offset;
    while at < stretch.end {
        let chunk = match reader.is_fast() {
            true => FAST_CHUNK,
            false => CHUNK,
        };
        let (start, bytes) = {
            let state = hub.state();
            let Some(driver) = state.drivers.get(id) else {
                return Ok(());
            };
            driver.log.read(at, stretch.end, chunk)
        };
        if bytes.is_empty() {
            break;
        }
        at = start + bytes.len() as u64;
        if !reader.feed(&bytes, &mut take) {
            return Ok(());
        }
        tokio::task::yield_now().await;
    }
    reader.finish(&mut take);
    Ok(())
}

/// Which lines a request is about, by time, run and stream.
struct Choice {
    since: Option<Timestamp>,
    /// Offsets of the run asked for.
    run: Option<std::ops::Range<u64>>,
    stream: Stream,
}

impl Choice {
    fn new(
        hub: &Hub,
        id: &SessionId,
        params: &Log,
        since: Option<Timestamp>,
    ) -> Result<Self, Error> {
        let run = match params.run {
            None => None,
            Some(number) => {
                let state = hub.state();
                let runs = state.registry.get(id).map_or(&[][..], |s| s.life.runs());
                let place = runs
                    .iter()
                    .position(|run| run.run == number)
                    .ok_or_else(|| {
                        let last = runs.last().map_or(0, |run| run.run);
                        Error::invalid(format!(
                            "`run`: there is no run {number}; the last is {last}"
                        ))
                    })?;
                let end = runs.get(place + 1).map_or(u64::MAX, |next| next.offset);
                Some(runs[place].offset..end)
            }
        };
        Ok(Self {
            since,
            run,
            stream: params.stream.unwrap_or_default(),
        })
    }

    /// Where to begin to look, if not at a line.
    fn offset(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.start)
    }

    /// Whether it is everything from somewhere on, so that the last lines of it are the last lines of all.
    fn is_of_the_end(&self) -> bool {
        let to_the_end = |run: &std::ops::Range<u64>| run.end == u64::MAX;
        self.since.is_none()
            && self.stream == Stream::All
            && self.run.as_ref().is_none_or(to_the_end)
    }

    /// Whether it depends on when a line came, or from where.
    fn asks_for_origin(&self) -> bool {
        self.since.is_some() || self.stream != Stream::All
    }

    fn wants(&self, start: u64, at: Option<Timestamp>, stream: u8) -> bool {
        self.since
            .is_none_or(|since| at.is_some_and(|at| at >= since))
            && self.run.as_ref().is_none_or(|run| run.contains(&start))
            && match self.stream {
                Stream::Stdout => stream == 0,
                Stream::Stderr => stream == 1,
                _ => true,
            }
    }
}

async fn lines(hub: &Hub, id: &SessionId, params: Log, since: Option<Timestamp>) -> Answer {
    let choice = Choice::new(hub, id, &params, since)?;
    let count = params.tail.or(params.lines).unwrap_or(DEFAULT_LINES);
    if !(1..=MAX_LINES).contains(&count) {
        return Err(Error::invalid(format!(
            "lines are between 1 and {MAX_LINES}, not {count}"
        )));
    }
    if params.from_line.is_some() && params.tail.is_some() {
        return Err(Error::invalid(
            "`tail` counts from the end; `fromLine` from the beginning",
        ));
    }
    hub.catch_up(id).await;
    let total = stretch(hub, id, None, 0)?.total_lines;
    let filtered = choice.since.is_some() || choice.run.is_some() || choice.stream != Stream::All;
    let from = match params.from_line {
        Some(line) => Some(line.max(1)),
        None if filtered && !choice.is_of_the_end() => None,
        None => Some(total.saturating_sub(count - 1).max(1)),
    };
    let stretch = stretch(hub, id, from, choice.offset())?;
    let least = from.unwrap_or(1);
    let keep_last = params.from_line.is_none();
    let mut lines: VecDeque<LogLine> = VecDeque::new();
    let mut omitted = Left::default();
    let mut size = 0;
    let mut last_run = None;
    read_lines(hub, id, &stretch, |line| {
        if line.n < least {
            return true;
        }
        let (at, stream) = origin(hub, id, line.start, &mut last_run);
        if !choice.wants(line.start, at, stream) {
            return true;
        }
        let enough = lines.len() as u64 == count;
        if enough && !keep_last {
            return false;
        }
        if enough && let Some(gone) = lines.pop_front() {
            size -= gone.text.len();
        }
        let (text, cut) = cut_line(line.text);
        size += text.len();
        if size > MAX_TEXT && !keep_last {
            return false;
        }
        while size > MAX_TEXT
            && let Some(gone) = lines.pop_front()
        {
            size -= gone.text.len();
            omitted.bytes += gone.text.len() as u64;
            omitted.lines += 1;
        }
        omitted.bytes += cut;
        let stream = if stream == 1 { "stderr" } else { "stdout" };
        lines.push_back(LogLine {
            n: line.n,
            at,
            stream: stream.to_owned(),
            text: text.to_owned(),
            by: None,
            kind: None,
        });
        true
    })
    .await?;
    let next_line = lines
        .back()
        .map_or_else(|| least.max(stretch.total_lines + 1), |line| line.n + 1);
    answer(LogLines {
        lines: lines.into(),
        first_line: stretch.first_line,
        total_lines: stretch.total_lines,
        omitted,
        next_line,
    })
}

/// Cuts a long line; says how many bytes that left out.
fn cut_line(text: &str) -> (&str, u64) {
    // Every character has at least one byte, so a short line needs no counting.
    let cut = match text.len() > MAX_CHARS {
        true => text.char_indices().nth(MAX_CHARS),
        false => None,
    };
    let (kept, left) = text.split_at(cut.map_or(text.len(), |(cut, _)| cut));
    (kept, left.len() as u64)
}

/// When the byte at `start` came and from where; the run it was found in is
/// remembered, since the next line is mostly of the same one.
fn origin(
    hub: &Hub,
    id: &SessionId,
    start: u64,
    last: &mut Option<super::super::log_reader::Run>,
) -> (Option<Timestamp>, u8) {
    let known = last.filter(|run| (run.start..run.end).contains(&start));
    let run = known.or_else(|| {
        let state = hub.state();
        state.drivers.get(id)?.log.run_at(start)
    });
    *last = run;
    run.map_or((None, 0), |run| (Some(run.at), run.stream))
}

async fn grep(hub: &Hub, id: &SessionId, params: Log, since: Option<Timestamp>) -> Answer {
    let choice = Choice::new(hub, id, &params, since)?;
    let pattern = params.grep.as_deref().unwrap_or_default();
    let regex = compile(pattern, params.ignore_case == Some(true))?;
    let context = params.context.unwrap_or(0);
    let most = params.max_matches.unwrap_or(DEFAULT_MATCHES);
    if context > MAX_CONTEXT || !(1..=MAX_MATCHES).contains(&most) {
        return Err(Error::invalid(format!(
            "`context` is at most {MAX_CONTEXT} and `maxMatches` between 1 and {MAX_MATCHES}"
        )));
    }
    hub.catch_up(id).await;
    let total = stretch(hub, id, None, 0)?.total_lines;
    let from = match (params.from_line, params.tail) {
        (Some(line), _) => Some(line),
        (None, Some(tail)) => Some(total.saturating_sub(tail.saturating_sub(1)).max(1)),
        (None, None) => None,
    };
    let stretch = stretch(hub, id, from, choice.offset())?;
    let newest = params.newest == Some(true);
    let mut matches: VecDeque<LogMatch> = VecDeque::new();
    let mut before: VecDeque<String> = VecDeque::new();
    let mut omitted = Left::default();
    let mut truncated = false;
    let mut size = 0;
    let mut last_run = None;
    read_lines(hub, id, &stretch, |line| {
        if line.n < from.unwrap_or(1) {
            return true;
        }
        let hit = regex.is_match(line.text);
        if !hit && context == 0 {
            return newest || !truncated;
        }
        // Of most lines nobody asks when they came.
        let (at, stream) = match hit || choice.asks_for_origin() {
            true => origin(hub, id, line.start, &mut last_run),
            false => (None, 0),
        };
        if !choice.wants(line.start, at, stream) {
            return true;
        }
        let (text, cut) = cut_line(line.text);
        for open in matches.iter_mut().rev().take(context) {
            if open.n + context as u64 >= line.n && open.after.len() < context {
                size += text.len();
                if size <= MAX_TEXT {
                    open.after.push(text.to_owned());
                } else {
                    omitted.bytes += text.len() as u64;
                    omitted.lines += 1;
                }
            }
        }
        let around: usize = before.iter().map(String::len).sum();
        let full = size + text.len() + around > MAX_TEXT && !matches.is_empty();
        let full = full || matches.len() == most;
        if hit && newest && full {
            truncated = true;
            let needed = text.len() + around;
            while matches.len() == most || (size + needed > MAX_TEXT && !matches.is_empty()) {
                size =
                    size.saturating_sub(matches.pop_front().map_or(0, |gone| size_of_match(&gone)));
            }
        }
        if hit && full && !newest {
            truncated = true;
        } else if hit {
            omitted.bytes += cut;
            size += text.len() + around;
            matches.push_back(LogMatch {
                n: line.n,
                at,
                offset: Some(line.start),
                text: text.to_owned(),
                before: before.iter().cloned().collect(),
                after: Vec::new(),
            });
        }
        if context > 0 {
            before.push_back(text.to_owned());
            while before.len() > context || before.iter().map(String::len).sum::<usize>() > MAX_TEXT
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
    answer(LogMatches {
        matches: matches.into(),
        first_line: stretch.first_line,
        total_lines: stretch.total_lines,
        truncated,
        omitted,
    })
}

/// Bytes of text in a match.
fn size_of_match(found: &LogMatch) -> usize {
    let around = found.before.iter().chain(&found.after);
    found.text.len() + around.map(String::len).sum::<usize>()
}

/// What was typed: each write is a line, with who it was.
fn typed(hub: &Hub, id: &SessionId, params: &Log) -> Answer {
    if params.grep.is_some() || params.run.is_some() || params.format.is_some() {
        return Err(Error::invalid(
            "the stream `input` goes with `tail`, `fromLine` and `lines`",
        ));
    }
    let entries = input_log::read(&hub.state().store.dir(id));
    let total = entries.len() as u64;
    let count = params.tail.or(params.lines).unwrap_or(DEFAULT_LINES);
    let last = total.saturating_sub(count) + 1;
    let from = params.from_line.unwrap_or(last).max(1);
    let lines = (1..).zip(&entries).skip_while(|(n, _)| *n < from);
    let lines = lines
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .map(|(n, entry)| {
            let (at, stream) = (Some(entry.at), "input".to_owned());
            LogLine {
                n,
                at,
                stream,
                text: entry.shown(),
                by: Some(entry.by.clone()),
                kind: Some(entry.kind()),
            }
        });
    answer(LogLines {
        lines: lines.collect(),
        first_line: 1,
        total_lines: total,
        omitted: Left::default(),
        next_line: from.saturating_add(count).min(total + 1).max(from),
    })
}

/// Forgets what was written so far; offsets and line numbers go on.
pub(super) async fn clear(hub: &Hub, client: &Client, params: Clear) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Own)?;
    let (before, cleared) = hub.with(|state| (state.log_first(&id), state.keeper.clear(&id)));
    let first = cleared.await.ok().flatten();
    let first = first.ok_or_else(|| Error::internal("the log could not be cleared"))?;
    hub.with(|state| {
        if let Some(session) = state.registry.get_mut(&id) {
            session.output.drop_before(first);
            session.output.skip_to(first);
        }
        state.persist(&id);
    });
    answer(Cleared {
        cleared_bytes: first.saturating_sub(before),
    })
}
