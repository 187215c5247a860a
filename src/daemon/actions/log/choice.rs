//! Which lines a request is about.

use crate::daemon::hub::Hub;
use crate::daemon::storage::log_reader::Run;
use crate::protocol::params::{Log, Stream};
use crate::protocol::{Error, SessionId, Timestamp};

/// Which lines a request is about, by time, run and stream.
pub(super) struct Choice {
    pub(super) since: Option<Timestamp>,
    /// Offsets of the run asked for.
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

    /// Where to begin to look, if not at a line.
    pub(super) fn offset(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.start)
    }

    /// Whether it is everything from somewhere on, so that the last lines of it are the last lines of all.
    pub(super) fn is_of_the_end(&self) -> bool {
        let to_the_end = |run: &std::ops::Range<u64>| run.end == u64::MAX;
        self.since.is_none()
            && self.stream == Stream::All
            && self.run.as_ref().is_none_or(to_the_end)
    }

    /// Whether it depends on when a line came, or from where.
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

/// When the byte at `start` came and from where; the run it was found in is
/// remembered, since the next line is mostly of the same one.
pub(super) fn origin(
    hub: &Hub,
    id: &SessionId,
    start: u64,
    last: &mut Option<Run>,
) -> (Option<Timestamp>, u8) {
    let known = last.filter(|run| (run.start..run.end).contains(&start));
    let run = known.or_else(|| {
        let state = hub.read();
        state.sessions.io(id)?.log.run_at(start)
    });
    *last = run;
    run.map_or((None, 0), |run| (Some(run.at), run.stream))
}
