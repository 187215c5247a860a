//! What one stream has of each line.
//!
//! Standard output and standard error have one log with one numbering of lines. A line may begin with the text of one
//! stream and go on with that of the other.

use std::borrow::Cow;
use std::ops::Range;

use crate::daemon::hub::Hub;
use crate::daemon::storage::log_reader::LogReader;
use crate::protocol::SessionId;
use crate::protocol::params::Stream;
use crate::term::plain::reader::Shown;
use crate::term::plain::render;

/// Number of bytes of a line of both streams that are read first, and at most. Most lines are short.
const FIRST: usize = 4096;
const MOST: usize = 1 << 20;

/// Cuts lines to what one stream has written.
pub(super) struct StreamPart {
    stream: u8,
    /// Lines that begin here were written by one stream, and by which.
    whole: (Range<u64>, u8),
}

impl StreamPart {
    /// The part of the requested stream; `None` if the request is for all output.
    pub(super) fn of(stream: Stream) -> Option<Self> {
        let stream = match stream {
            Stream::Stdout => 0,
            Stream::Stderr => 1,
            Stream::All | Stream::Input => return None,
        };
        Some(Self {
            stream,
            whole: (0..0, 0),
        })
    }

    /// The number that the index has for the stream.
    pub(super) fn number(&self) -> u8 {
        self.stream
    }

    /// What the stream has written of a line; `None` if it has written nothing of it.
    pub(super) fn text<'t>(
        &mut self,
        hub: &Hub,
        id: &SessionId,
        line: &Shown<'t>,
    ) -> Option<Cow<'t, str>> {
        let state = hub.read();
        let (session, io) = (state.sessions.get(id)?, state.sessions.io(id)?);
        if !self.whole.0.contains(&line.start) {
            self.whole = whole_lines(&io.log, line.start);
        }
        if self.whole.0.contains(&line.start) {
            return (self.whole.1 == self.stream).then_some(line.text.into());
        }
        let end = session.output.end();
        let own = bytes_of(&io.log, line.start..end, self.stream);
        (!own.is_empty()).then(|| {
            let text = render(&own, session.output.layout(), false).text;
            text.trim_end_matches('\n').to_owned().into()
        })
    }
}

/// The beginnings of the lines from `start` on that end within the same piece of output, and the stream of that piece. The
/// newest output may not be in the index yet; it counts as standard output.
fn whole_lines(log: &LogReader, start: u64) -> (Range<u64>, u8) {
    let Some(run) = log.arrival_at(start) else {
        return (start..start + 1, 0);
    };
    let (from, bytes) = log.read_all(start, run.end);
    let last = memchr::memrchr(b'\n', &bytes).map_or(start, |last| from + last as u64 + 1);
    (start..last, run.stream)
}

/// The bytes of one stream in the first line of a range.
fn bytes_of(log: &LogReader, range: Range<u64>, stream: u8) -> Vec<u8> {
    let (start, line) = first_line(log, range);
    let mut own = Vec::new();
    for run in log.arrivals(start, start + line.len() as u64) {
        let place = |offset: u64| usize::try_from(offset - start).unwrap_or(usize::MAX);
        if run.stream == stream {
            own.extend_from_slice(
                line.get(place(run.start)..place(run.end))
                    .unwrap_or_default(),
            );
        }
    }
    own
}

/// The first line of a range with its newline, and where it begins.
fn first_line(log: &LogReader, range: Range<u64>) -> (u64, Vec<u8>) {
    let mut most = FIRST;
    loop {
        let (start, mut line) = log.read(range.start, range.end, most);
        let newline = memchr::memchr(b'\n', &line);
        if newline.is_none() && line.len() == most && most < MOST {
            most *= 4;
            continue;
        }
        line.truncate(newline.map_or(line.len(), |newline| newline + 1));
        return (start, line);
    }
}
