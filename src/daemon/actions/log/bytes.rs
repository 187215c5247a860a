//! `log` by bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::daemon::actions::log::Room;
use crate::daemon::actions::log::page::{Page, SEQUENCE, whole_characters};
use crate::daemon::hub::Hub;
use crate::daemon::requests::replies::answer;
use crate::daemon::sessions::text::{Source, finish};
use crate::daemon::sessions::unreadable;
use crate::daemon::storage::log_reader::Arrival;
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
    let by_stream = origins || matches!(params.stream, Some(Stream::Stdout | Stream::Stderr));
    let known = if by_stream && !finished && session.spec.mode == Mode::Pipe {
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
    let format = params.format.unwrap_or_default();
    let layout = source.layout();
    // How many of the bytes of a page can be told without the next one.
    let whole = |raw: &[u8]| match format {
        LogFormat::Base64 => raw.len(),
        LogFormat::Raw => whole_characters(raw),
        LogFormat::Plain => render(raw, layout, false).consumed,
    };
    let page = match stream {
        None if format == LogFormat::Raw => Page::of_all(&io.log, offset, limit, known)
            .and_then(|page| page.with_whole_character(&io.log, known)),
        None => Page::of_all(&io.log, offset, limit, known),
        Some(stream) => Page::of_stream(&io.log, (offset, to, known), stream, whole),
    };
    let page = page.map_err(|error| unreadable(id, &error))?;
    let (start, to) = (page.start, page.end);
    let is_last = finished && to >= end;
    // The rest of what is cut is still to come.
    let may_wait = !finished && to >= known;
    let (output, next_offset) = match format {
        LogFormat::Base64 => (STANDARD.encode(&page.raw), to),
        LogFormat::Raw => {
            let whole = if is_last {
                page.raw.len()
            } else {
                whole_characters(&page.raw)
            };
            page.cut(whole, may_wait, |raw| {
                String::from_utf8_lossy(raw).into_owned()
            })
        }
        LogFormat::Plain if stream.is_some() => {
            let mut rendered = render(&page.raw, layout, false);
            if is_last {
                finish(&mut rendered, &page.raw);
            }
            page.cut(rendered.consumed, may_wait, |_| rendered.text)
        }
        LogFormat::Plain => plain(&source, start, page.raw, to, end, finished),
    };
    answer(LogBytes {
        output,
        offset: start,
        next_offset,
        first_offset: first,
        total_bytes: end,
        eof: finished && next_offset >= end,
        times: params.times.unwrap_or(false).then(|| {
            let mut runs = io.log.arrivals(start, next_offset);
            // Many short writes have a record each; one time per second is enough.
            runs.dedup_by_key(|run| run.at.millis().div_euclid(1000));
            let time = |run: &Arrival| LogTime {
                offset: run.start,
                at: run.at,
            };
            runs.iter().map(time).collect()
        }),
        origins: origins.then(|| {
            let runs = io.log.arrivals(start, next_offset);
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
    let is_cut = (raw.len() as u64) < SEQUENCE && start + raw.len() as u64 >= end;
    let consumed = match rendered.consumed {
        // The rest of it is still to come.
        0 if is_cut && !finished => return (String::new(), start),
        0 => raw.len(),
        consumed => consumed,
    };
    (rendered.text, start + consumed as u64)
}
