//! `log` by bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::daemon::actions::log::Room;
use crate::daemon::hub::Hub;
use crate::daemon::requests::replies::answer;
use crate::daemon::sessions::text::{Source, finish};
use crate::daemon::storage::log_reader::{Arrival, LogReader};
use crate::daemon::transport::Answer;
use crate::protocol::params::{Log, LogFormat, Stream};
use crate::protocol::reply::{LogBytes, LogOrigin, LogRun, LogTime};
use crate::protocol::run::Run;
use crate::protocol::status::Mode;
use crate::protocol::{Error, SessionId};
use crate::term::plain::{Checkpoint, render};

/// Default `limit`.
const DEFAULT_LIMIT: u64 = 65_536;

/// Returns a range of the log.
pub(super) fn bytes(hub: &Hub, id: &SessionId, params: &Log, room: Room) -> Answer {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    // Base64 takes four bytes for three.
    let limit = if room.is_lean {
        limit.min(room.text as u64 * 3 / 4)
    } else {
        limit
    };
    let state = hub.read();
    let (first, end) = (state.sessions.log_first(id), state.sessions.log_end(id));
    let (Some(session), Some(io)) = (state.sessions.get(id), state.sessions.io(id)) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let finished = session.life.status().is_finished();
    let offset = params.offset.unwrap_or(0).clamp(first, end.max(first));
    let origins = params.origins == Some(true);
    let known = if origins && !finished && session.spec.mode == Mode::Pipe {
        // The index, which says which stream each byte belongs to, is written a moment later.
        io.log.indexed_end().clamp(offset, end.max(first))
    } else {
        end
    };
    let source = Source {
        output: &session.output,
        log: &io.log,
    };
    let stream = match params.stream {
        Some(Stream::Stdout) => Some(0),
        Some(Stream::Stderr) => Some(1),
        _ => None,
    };
    let to = offset.saturating_add(limit).min(known);
    let (start, to, raw) = match stream {
        None => range(&io.log, offset, limit, known),
        Some(stream) => {
            let runs = io.log.arrivals(offset, to);
            let runs = runs.iter().filter(|run| run.stream == stream);
            let raw = runs.flat_map(|run| io.log.kept(run.start, run.end));
            (offset, to, raw.collect())
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
            let mut runs = io.log.arrivals(start, to);
            // Many short writes have a record each; one time per second is enough.
            runs.dedup_by_key(|run| run.at.millis().div_euclid(1000));
            let time = |run: &Arrival| LogTime {
                offset: run.start,
                at: run.at,
            };
            runs.iter().map(time).collect()
        }),
        origins: origins.then(|| {
            let runs = io.log.arrivals(start, to);
            let origin = |run: &Arrival| LogOrigin {
                offset: run.start,
                at: run.at,
                stderr: run.stream == 1,
            };
            runs.iter().map(origin).collect()
        }),
        runs: origins.then(|| {
            let run = |run: &Run| LogRun {
                run: run.run,
                offset: run.offset,
            };
            session.life.runs().iter().map(run).collect()
        }),
        restarting: origins && finished && state.restarting.contains_key(id),
    })
}

/// Reads consecutive bytes: at most `limit`, and only up to the next gap. Returns where they begin and end. They begin
/// after a gap that is at `offset`.
fn range(log: &LogReader, offset: u64, limit: u64, known: u64) -> (u64, u64, Vec<u8>) {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let (start, raw) = log.read(offset, known, most);
    let end = if raw.is_empty() {
        // Nothing of it is kept.
        start.max(offset.saturating_add(limit).min(known))
    } else {
        start + raw.len() as u64
    };
    (start, end, raw)
}

/// Longest unfinished escape sequence at the start of a range that is searched for its end, in bytes. A longer
/// one is returned as it is.
const SEQUENCE: u64 = 4096;

/// The clean text of a range, and the offset to continue from. An escape sequence or a character that the end
/// of the range cuts is left to the next range.
fn plain(
    source: &Source<'_>,
    start: u64,
    mut raw: Vec<u8>,
    to: u64,
    end: u64,
    finished: bool,
) -> (String, u64) {
    let alt = start < to && source.alt_at(start, to);
    let at = Checkpoint::on(start, alt);
    if raw.is_empty() {
        // Nothing of it is kept.
        return (String::new(), to);
    }
    let layouts = source.output.layouts();
    let mut rendered = layouts.render(&raw, at);
    let mut more = 1;
    while rendered.consumed == 0 && to + more / 2 < end && more <= SEQUENCE {
        raw = source.log.read_all(start, end.min(to + more)).1;
        rendered = layouts.render(&raw, at);
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
