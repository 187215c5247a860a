//! `log` by bytes.

use std::io;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::daemon::actions::log::Room;
use crate::daemon::actions::log::page::{Page, SEQUENCE, whole_characters};
use crate::daemon::hub::Hub;
use crate::daemon::requests::replies::answer;
use crate::daemon::sessions::text::{Source, finish};
use crate::daemon::sessions::unreadable;
use crate::daemon::state::State;
use crate::daemon::storage::log_reader::{Arrival, LogReader};
use crate::daemon::transport::Answer;
use crate::engine::session::Session;
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
    let state = hub.read();
    let asked = Requested::find(&state, id, params, room)?;
    let page = asked.page().map_err(|error| unreadable(id, &error))?;
    let offset = page.start;
    let (output, next_offset) = asked.text(page);
    let range = offset..next_offset;
    let (end, is_over) = (asked.end, asked.is_over);
    answer(LogBytes {
        output,
        offset,
        next_offset,
        first_offset: asked.first,
        total_bytes: end,
        eof: is_over && next_offset >= end,
        times: (params.times == Some(true)).then(|| times(asked.log, &range)),
        origins: asked.origins.then(|| origins(asked.log, &range)),
        runs: asked.origins.then(|| runs(asked.session)),
        restarting: asked.origins && is_over && state.restarting.contains_key(id),
    })
}

/// What a request asks for, of a log as it is now.
struct Requested<'a> {
    session: &'a Session,
    log: &'a LogReader,
    /// Where the log begins and ends.
    first: u64,
    end: u64,
    /// Whether the session has ended, so that nothing follows `end`.
    is_over: bool,
    format: LogFormat,
    /// The number that the index has for the stream; `None`: all output.
    stream: Option<u8>,
    /// Whether the reply has the times, streams and runs of the bytes.
    origins: bool,
    offset: u64,
    /// Maximum number of bytes.
    limit: u64,
    /// The end of what can be told: what needs the index ends where that does.
    known: u64,
}

impl<'a> Requested<'a> {
    fn find(state: &'a State, id: &SessionId, params: &Log, room: Room) -> Result<Self, Error> {
        let (first, end) = (state.sessions.log_first(id), state.sessions.log_end(id));
        let (Some(session), Some(io)) = (state.sessions.get(id), state.sessions.io(id)) else {
            return Err(Error::session_not_found(id.as_str()));
        };
        let is_over = session.life.status().is_finished();
        let offset = params.offset.unwrap_or(0).clamp(first, end.max(first));
        let origins = params.origins == Some(true);
        let stream = match params.stream {
            Some(Stream::Stdout) => Some(0),
            Some(Stream::Stderr) => Some(1),
            _ => None,
        };
        let by_stream = origins || stream.is_some();
        let known = if by_stream && !is_over && session.spec.mode == Mode::Pipe {
            // The index, which says which stream each byte belongs to, is written a moment later.
            io.log.indexed_end().clamp(offset, end.max(first))
        } else {
            end
        };
        Ok(Self {
            session,
            log: &io.log,
            first,
            end,
            is_over,
            format: params.format.unwrap_or_default(),
            stream,
            origins,
            offset,
            limit: limit(params, room),
            known,
        })
    }

    /// The bytes of the reply.
    fn page(&self) -> io::Result<Page> {
        let (log, offset, limit, known) = (self.log, self.offset, self.limit, self.known);
        match self.stream {
            Some(stream) => {
                let to = offset.saturating_add(limit).min(known);
                Page::of_stream(log, (offset, to, known), stream, |raw| self.whole(raw))
            }
            None if self.format == LogFormat::Raw => {
                Page::of_all(log, offset, limit, known)?.with_whole_character(log, known)
            }
            None => Page::of_all(log, offset, limit, known),
        }
    }

    /// How many of the bytes of a page can be told without the next one.
    fn whole(&self, raw: &[u8]) -> usize {
        match self.format {
            LogFormat::Base64 => raw.len(),
            LogFormat::Raw => whole_characters(raw),
            LogFormat::Plain => render(raw, self.session.output.layout(), false).consumed,
        }
    }

    /// A page in the format of the reply, and the offset of the next one.
    fn text(&self, page: Page) -> (String, u64) {
        let is_last = self.is_over && page.end >= self.end;
        // The rest of what is cut is still to come.
        let may_wait = !self.is_over && page.end >= self.known;
        match self.format {
            LogFormat::Base64 => (STANDARD.encode(&page.raw), page.end),
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
            LogFormat::Plain if self.stream.is_some() => {
                let mut rendered = render(&page.raw, self.session.output.layout(), false);
                if is_last {
                    finish(&mut rendered, &page.raw);
                }
                page.cut(rendered.consumed, may_wait, |_| rendered.text)
            }
            LogFormat::Plain => self.plain(page),
        }
    }

    /// The clean text of a page of all output, and the offset of the next one. An escape sequence or a character that
    /// the end of the page cuts is left to the next one.
    fn plain(&self, page: Page) -> (String, u64) {
        let (start, to, end) = (page.start, page.end, self.end);
        let mut raw = page.raw;
        let source = Source {
            output: &self.session.output,
            log: self.log,
        };
        let alt = start < to && source.alt_at(start, to);
        let at = Checkpoint::on(start, alt);
        if raw.is_empty() {
            // Nothing of it is kept.
            return (String::new(), to);
        }
        let layouts = self.session.output.layouts();
        let mut rendered = layouts.render(&raw, at);
        let mut more = 1;
        while rendered.consumed == 0 && to + more / 2 < end && more <= SEQUENCE {
            raw = self.log.read_all(start, end.min(to + more)).1;
            rendered = layouts.render(&raw, at);
            more *= 2;
        }
        if self.is_over && start + raw.len() as u64 == end {
            finish(&mut rendered, &raw);
        }
        let is_cut = (raw.len() as u64) < SEQUENCE && start + raw.len() as u64 >= end;
        let consumed = match rendered.consumed {
            // The rest of it is still to come.
            0 if is_cut && !self.is_over => return (String::new(), start),
            0 => raw.len(),
            consumed => consumed,
        };
        (rendered.text, start + consumed as u64)
    }
}

/// Maximum number of bytes in the reply.
fn limit(params: &Log, room: Room) -> u64 {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    // Base64 takes four bytes for three.
    if room.is_lean {
        limit.min(room.text as u64 * 3 / 4)
    } else {
        limit
    }
}

/// When the bytes of a range were written.
fn times(log: &LogReader, range: &Range<u64>) -> Vec<LogTime> {
    let mut arrivals = log.arrivals(range.start, range.end);
    // Many short writes have a record each; one time per second is enough.
    arrivals.dedup_by_key(|arrival| arrival.at.millis().div_euclid(1000));
    let time = |arrival: &Arrival| LogTime {
        offset: arrival.start,
        at: arrival.at,
    };
    arrivals.iter().map(time).collect()
}

/// When the bytes of a range were written, and to which stream.
fn origins(log: &LogReader, range: &Range<u64>) -> Vec<LogOrigin> {
    let origin = |arrival: &Arrival| LogOrigin {
        offset: arrival.start,
        at: arrival.at,
        stderr: arrival.stream == 1,
    };
    let arrivals = log.arrivals(range.start, range.end);
    arrivals.iter().map(origin).collect()
}

/// Where the output of each run begins.
fn runs(session: &Session) -> Vec<LogRun> {
    let run = |run: &Run| LogRun {
        run: run.run,
        offset: run.offset,
    };
    session.life.runs().iter().map(run).collect()
}
