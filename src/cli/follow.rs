//! Reading a job's output as it grows, without polling and without a gap.
//!
//! `poll` only tells that there is news: it shows at most so many characters,
//! and a fast program writes more between two of them. The bytes themselves
//! are read with `log`, from where the last read ended, so that whatever is
//! kept is shown exactly once, also when the daemon was replaced meanwhile.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::client::{self, AutoStart, Connection, greeting};
use crate::protocol::params::{Log, LogFormat, Poll};
use crate::protocol::reply::{LogBytes, Polled};
use crate::protocol::{Action, Error, ErrorCode, SessionId, Status};

/// Bytes of output asked for at once: the most that `log` gives.
const PAGE: u64 = 1 << 20;

/// First guess at how many bytes hold the last lines.
const FIRST_TAIL: u64 = 64 * 1024;

/// The longest wait that `poll` takes, in milliseconds.
const LONGEST_WAIT: u64 = 600_000;

/// In what form output is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Clean text.
    Plain,
    /// The bytes as the job wrote them.
    Raw,
}

/// A place in the output of one job, with a connection of its own.
#[derive(Debug)]
pub struct Follower {
    connection: Connection,
    session: SessionId,
    form: Form,
    offset: u64,
}

/// What [`Follower::read_on`] found.
#[derive(Debug)]
pub enum News {
    /// This came next.
    Output(Vec<u8>),
    /// So many bytes are no longer kept.
    Gap(u64),
    /// The job has ended and everything has been read.
    Ended(Polled),
    /// All there is has been read; more may come.
    Idle(Polled),
}

impl Follower {
    /// Starts at the oldest byte that is kept.
    pub fn new(session: SessionId, form: Form) -> Result<Self, Error> {
        Ok(Self {
            connection: connect()?,
            session,
            form,
            offset: 0,
        })
    }

    /// Goes to the end and returns the last `lines` lines before it.
    pub fn skip_to_last(&mut self, lines: usize) -> Result<Vec<u8>, Error> {
        let end = self.look(None, 0)?.output_bytes;
        let mut length = FIRST_TAIL.min(PAGE);
        loop {
            let from = end.saturating_sub(length);
            let mut tail = Vec::new();
            self.offset = from;
            let mut first_kept = 0;
            while self.offset < end {
                let page = self.page(end - self.offset)?;
                first_kept = page.first_offset;
                let stuck = page.next_offset <= self.offset;
                self.offset = page.next_offset;
                tail.extend(self.decode(page)?);
                if stuck {
                    break;
                }
            }
            match last_lines(&tail, lines) {
                Some(start) => return Ok(tail.split_off(start)),
                None if from <= first_kept => return Ok(tail),
                None => length = length.saturating_mul(4),
            }
        }
    }

    /// The next piece of output, or that there is none for now.
    pub fn read_on(&mut self) -> Result<News, Error> {
        // The status is asked for before the output: what an ended job wrote is
        // then certain to be in the output read after it.
        let polled = self.look(None, 0)?;
        let page = self.page(PAGE)?;
        if page.offset > self.offset {
            let gap = page.offset - self.offset;
            self.offset = page.offset;
            return Ok(News::Gap(gap));
        }
        if page.next_offset > self.offset {
            self.offset = page.next_offset;
            return Ok(News::Output(self.decode(page)?));
        }
        if polled.status.is_finished() {
            return Ok(News::Ended(polled));
        }
        Ok(News::Idle(polled))
    }

    /// Returns when something has happened since `seen`.
    pub fn wait(&mut self, seen: &Polled) -> Result<(), Error> {
        match self.look(Some(seen.cursor.clone()), LONGEST_WAIT) {
            Ok(_) => Ok(()),
            // A new daemon takes over at once; it may not know the old cursor.
            Err(error) if error.code == ErrorCode::InvalidParams => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Hands everything to `sink` until the job has ended; says how it ended.
    pub fn drain<E: From<Error>>(
        &mut self,
        mut sink: impl FnMut(News) -> Result<(), E>,
    ) -> Result<(Status, Option<i32>, Option<String>), E> {
        loop {
            match self.read_on()? {
                News::Ended(polled) => {
                    return Ok((polled.status, polled.exit_code, polled.signal));
                }
                News::Idle(polled) => {
                    let seen = polled.clone();
                    sink(News::Idle(polled))?;
                    self.wait(&seen)?;
                }
                news => sink(news)?,
            }
        }
    }

    fn look(&mut self, since: Option<String>, wait_ms: u64) -> Result<Polled, Error> {
        let poll = Poll {
            session_id: self.session.to_string(),
            since,
            wait_ms: Some(wait_ms),
            max_chars: Some(1),
            stream: None,
        };
        let value = self.call(Action::Poll(poll))?;
        serde_json::from_value(value).map_err(unreadable)
    }

    fn page(&mut self, limit: u64) -> Result<LogBytes, Error> {
        let log = Log {
            session_id: self.session.to_string(),
            offset: Some(self.offset),
            limit: Some(limit.min(PAGE)),
            format: Some(match self.form {
                Form::Plain => LogFormat::Plain,
                Form::Raw => LogFormat::Base64,
            }),
            ..Log::default()
        };
        let value = self.call(Action::Log(log))?;
        serde_json::from_value(value).map_err(unreadable)
    }

    /// Calls, and again on a new connection where the daemon went away: both
    /// actions only read.
    fn call(&mut self, action: Action) -> Result<serde_json::Value, Error> {
        loop {
            match self.connection.call(action.clone()) {
                Err(error) if error.code == ErrorCode::DaemonUnavailable => {
                    self.connection = connect()?;
                }
                outcome => return outcome,
            }
        }
    }

    fn decode(&self, page: LogBytes) -> Result<Vec<u8>, Error> {
        match self.form {
            Form::Plain => Ok(page.output.into_bytes()),
            Form::Raw => STANDARD
                .decode(page.output)
                .map_err(|error| Error::internal(format!("the log is not base64: {error}"))),
        }
    }
}

fn connect() -> Result<Connection, Error> {
    client::connect(&greeting::human(), AutoStart::Yes)
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::internal(format!("the daemon's answer makes no sense: {error}"))
}

/// Where the last `lines` lines of `text` begin; `None` if it may hold only a part of them.
fn last_lines(text: &[u8], lines: usize) -> Option<usize> {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    if lines == 0 {
        return Some(text.len());
    }
    let newlines = body.iter().enumerate().rev();
    newlines
        .filter(|(_, byte)| **byte == b'\n')
        .nth(lines - 1)
        .map(|(place, _)| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_found_with_and_without_a_newline_at_the_end() {
        assert_eq!(last_lines(b"a\nb\nc\n", 2), Some(2));
        assert_eq!(last_lines(b"a\nb\nc", 2), Some(2));
        assert_eq!(last_lines(b"a\nb\nc", 0), Some(5));
        // The text may begin in the middle of `a`.
        assert_eq!(last_lines(b"a\nb\n", 2), None);
        assert_eq!(last_lines(b"", 1), None);
    }
}
