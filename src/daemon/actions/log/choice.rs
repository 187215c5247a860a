//! The selection of lines by time, run, command and stream.

use std::ops::Range;

use super::shell_command;
use crate::daemon::hub::Hub;
use crate::protocol::params::{Log, Stream};
use crate::protocol::reply::ShellCommand;
use crate::protocol::{Error, SessionId, Timestamp};

/// Selects lines by time, run, command and stream.
pub(super) struct Choice {
    pub(super) since: Option<Timestamp>,
    /// Offsets of the requested run or command.
    pub(super) part: Option<Range<u64>>,
    /// What stands on the first line of `part` before it.
    before: String,
    /// The requested command.
    pub(super) command: Option<ShellCommand>,
    pub(super) stream: Stream,
}

impl Choice {
    pub(super) async fn new(
        hub: &Hub,
        id: &SessionId,
        params: &Log,
        since: Option<Timestamp>,
    ) -> Result<Self, Error> {
        let mut command = None;
        let mut before = String::new();
        let part = match (params.run, params.command) {
            (None, None) => None,
            (Some(_), Some(_)) => {
                return Err(Error::invalid("either `run` or `command`, not both"));
            }
            (None, Some(n)) => {
                let found = shell_command::find(hub, id, n).await?;
                let is_over = hub.read().sessions.is_over(id);
                command = Some(ShellCommand {
                    running: found.end.is_none() && !is_over,
                    exit_code: found.exit_code,
                    lines: None,
                });
                let place = shell_command::place_of(hub, id, found)?;
                before = place.before;
                Some(place.range)
            }
            (Some(number), None) => {
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
            part,
            before,
            command,
            stream: params.stream.unwrap_or_default(),
        })
    }

    /// The offset to start reading from, if no line is given.
    pub(super) fn offset(&self) -> u64 {
        self.part.as_ref().map_or(0, |part| part.start)
    }

    /// The offset to read up to.
    pub(super) fn end(&self) -> u64 {
        self.part.as_ref().map_or(u64::MAX, |part| part.end)
    }

    /// Whether it selects every line.
    pub(super) fn is_of_all(&self) -> bool {
        self.since.is_none() && self.part.is_none() && self.stream == Stream::All
    }

    /// Whether the selection includes everything after some place, so that its last lines are the last lines of
    /// the log.
    pub(super) fn is_of_the_end(&self) -> bool {
        let to_the_end = |part: &Range<u64>| part.end == u64::MAX;
        self.since.is_none()
            && self.stream == Stream::All
            && self.part.as_ref().is_none_or(to_the_end)
    }

    /// The part of a line's text that is selected.
    pub(super) fn cut<'t>(&self, start: u64, text: &'t str) -> &'t str {
        match &self.part {
            Some(part) if part.start == start => text.strip_prefix(&*self.before).unwrap_or(text),
            _ => text,
        }
    }

    /// Whether the line that begins at `start` is selected, as far as its time and place decide.
    pub(super) fn wants(&self, start: u64, at: Option<Timestamp>) -> bool {
        self.since
            .is_none_or(|since| at.is_some_and(|at| at >= since))
            && self.part.as_ref().is_none_or(|part| part.contains(&start))
    }
}
