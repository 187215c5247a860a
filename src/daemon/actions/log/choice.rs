//! The selection of lines by time, run and stream.

use crate::daemon::hub::Hub;
use crate::daemon::storage::log_reader::Arrival;
use crate::protocol::params::{Log, Stream};
use crate::protocol::{Error, SessionId, Timestamp};

/// Selects lines by time, run and stream.
pub(super) struct Choice {
    pub(super) since: Option<Timestamp>,
    /// Offsets of the requested run.
    pub(super) run: Option<std::ops::Range<u64>>,
    pub(super) stream: Stream,
}

impl Choice {
    pub(super) fn new(
        hub: &Hub,
        id: &SessionId,
        params: &Log,
        since: Option<Timestamp>,
    ) -> Result<Self, Error> {
        let run = match params.run {
            None => None,
            Some(number) => {
                let state = hub.read();
                let runs = state.sessions.get(id).map_or(&[][..], |s| s.life.runs());
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

    /// The offset to start reading from, if no line is given.
    pub(super) fn offset(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.start)
    }

    /// Whether the selection includes everything after some place, so that its last lines are the last lines of
    /// the log.
    pub(super) fn is_of_the_end(&self) -> bool {
        let to_the_end = |run: &std::ops::Range<u64>| run.end == u64::MAX;
        self.since.is_none()
            && self.stream == Stream::All
            && self.run.as_ref().is_none_or(to_the_end)
    }

    /// Whether the selection depends on the time or the stream of a line.
    pub(super) fn asks_for_origin(&self) -> bool {
        self.since.is_some() || self.stream != Stream::All
    }

    pub(super) fn wants(&self, start: u64, at: Option<Timestamp>, stream: u8) -> bool {
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

/// Time and stream of the byte at `start`. `last` caches the run, because the next line mostly belongs to the
/// same one.
pub(super) fn origin(
    hub: &Hub,
    id: &SessionId,
    start: u64,
    last: &mut Option<Arrival>,
) -> (Option<Timestamp>, u8) {
    let known = last.filter(|run| (run.start..run.end).contains(&start));
    let run = known.or_else(|| {
        let state = hub.read();
        state.sessions.io(id)?.log.arrival_at(start)
    });
    *last = run;
    run.map_or((None, 0), |run| (Some(run.at), run.stream))
}
