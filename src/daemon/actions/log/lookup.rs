//! What is looked up of the lines that are read: their text on one stream, when they were written, and by which stream.

use std::borrow::Cow;

use super::stream_part::StreamPart;
use crate::daemon::hub::Hub;
use crate::daemon::storage::log_reader::Arrival;
use crate::protocol::params::Stream;
use crate::protocol::{SessionId, Timestamp};
use crate::term::plain::reader::Shown;

/// Looks up lines of one log, in the order of the log.
pub(super) struct Lookup<'a> {
    hub: &'a Hub,
    id: &'a SessionId,
    /// The stream that is read; `None`: all of them.
    part: Option<StreamPart>,
    /// Where the last line came from: the next one mostly has arrived with it.
    last: Option<Arrival>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(hub: &'a Hub, id: &'a SessionId, stream: Stream) -> Self {
        Self {
            hub,
            id,
            part: StreamPart::of(stream),
            last: None,
        }
    }

    /// What the stream has written of a line; `None` if it has written nothing of it.
    pub(super) fn text<'t>(&mut self, line: &Shown<'t>) -> Option<Cow<'t, str>> {
        match &mut self.part {
            None => Some(line.text.into()),
            Some(part) => part.text(self.hub, self.id, line),
        }
    }

    /// When the line that begins at `start` was written, and the number that the index has for the stream.
    pub(super) fn origin(&mut self, start: u64) -> (Option<Timestamp>, u8) {
        let last = self.last;
        let known = last.filter(|arrival| (arrival.start..arrival.end).contains(&start));
        self.last = known.or_else(|| {
            let state = self.hub.read();
            state.sessions.io(self.id)?.log.arrival_at(start)
        });
        let first = self.last.map_or(0, |arrival| arrival.stream);
        let stream = self.part.as_ref().map_or(first, StreamPart::number);
        (self.last.map(|arrival| arrival.at), stream)
    }
}
