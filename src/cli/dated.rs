//! Following a job line by line: with the times of the lines, or from a moment on.
//!
//! Only whole lines have a time, so the last one shows when it has ended, or the job has.

use super::exit::Failure;
use super::words;
use crate::client::{self, AutoStart, Connection, greeting};
use crate::protocol::params::{Log, Poll};
use crate::protocol::reply::{LogLine, LogLines, Polled};
use crate::protocol::{Action, ErrorCode, SessionId, Timestamp};

/// Lines asked for at once.
const PAGE: u64 = 1000;

/// The longest wait that `poll` takes, in milliseconds.
const LONGEST_WAIT: u64 = 600_000;

/// A place between the lines of one job, with a connection of its own.
#[derive(Debug)]
pub(super) struct LineFollower {
    connection: Option<Connection>,
    session: SessionId,
    since: Option<Timestamp>,
    times: bool,
    /// So many of the lines that there are, if not all.
    last: Option<u64>,
    /// The line to show next; 0: not known yet.
    next: u64,
}

impl LineFollower {
    /// Begins at the first line that was written at or after `since`, of those with the `last` ones.
    pub(super) fn new(
        session: SessionId,
        since: Option<Timestamp>,
        last: Option<u64>,
        times: bool,
    ) -> Self {
        Self {
            connection: None,
            session,
            since,
            times,
            last,
            next: 0,
        }
    }

    /// Hands every line to `sink`, newlines included, until the job has ended.
    pub(super) fn drain(
        &mut self,
        mut sink: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        loop {
            // Asked for before the lines: what an ended job wrote is among those read after it.
            let polled = self.look(None, 0)?;
            let is_over = polled.status.is_finished();
            self.show(is_over, &mut sink)?;
            if is_over {
                return Ok(());
            }
            match self.look(Some(polled.cursor), LONGEST_WAIT) {
                // A new daemon takes over at once; it may not know the old cursor.
                Err(Failure::Refused(error)) if error.code == ErrorCode::InvalidParams => {}
                outcome => drop(outcome?),
            }
        }
    }

    /// Shows the lines that there are; the last one only if nothing follows.
    fn show(
        &mut self,
        is_over: bool,
        sink: &mut impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.next == 0 {
            let total = self.page(None)?.total_lines;
            let last = self.last.map(|last| (total + 1).saturating_sub(last));
            self.next = last.unwrap_or(1).max(1);
        }
        loop {
            let page = self.page(Some(self.next))?;
            let before = self.next;
            for line in &page.lines {
                if line.n >= page.total_lines && !is_over {
                    return Ok(());
                }
                let text = match self.times {
                    true => self::line(line, &line.text),
                    false => line.text.clone(),
                };
                sink(format!("{text}\n").as_bytes())?;
                self.next = line.n + 1;
            }
            if self.next == before {
                return Ok(());
            }
        }
    }

    fn page(&mut self, from: Option<u64>) -> Result<LogLines, Failure> {
        self.ask(Action::Log(Log {
            session_id: self.session.to_string(),
            from_line: from,
            lines: from.map(|_| PAGE),
            tail: from.is_none().then_some(1),
            since_time: self.since.map(|at| at.to_string()),
            ..Log::default()
        }))
    }

    fn look(&mut self, since: Option<String>, wait_ms: u64) -> Result<Polled, Failure> {
        self.ask(Action::Poll(Poll {
            session_id: self.session.to_string(),
            since,
            wait_ms: Some(wait_ms),
            max_chars: Some(1),
            stream: None,
        }))
    }

    /// Asks, and the next daemon where this one goes away: both actions only read.
    fn ask<T: serde::de::DeserializeOwned>(&mut self, action: Action) -> Result<T, Failure> {
        loop {
            let mut connection = match self.connection.take() {
                Some(connection) => connection,
                None => client::connect(&greeting::human(), AutoStart::Yes)?,
            };
            match connection.call_as(action.clone()) {
                Err(error) if error.code == ErrorCode::DaemonUnavailable => {}
                outcome => {
                    self.connection = Some(connection);
                    return Ok(outcome?);
                }
            }
        }
    }
}

/// A line behind the time at which it was written; one whose time is not known has a dash for it.
pub(super) fn line(line: &LogLine, text: &str) -> String {
    match line.at {
        Some(at) => format!("{} {text}", words::local(at)),
        None => format!("- {text}"),
    }
}
