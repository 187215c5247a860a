//! Reads the output of a job as it grows, without polling and without gaps.
//!
//! `poll` only reports that something has changed: it returns a limited number of characters, and a fast
//! program writes more between two calls. The bytes are read with `log`, from the end of the last read.
//! Each byte that is kept is therefore shown exactly once, also if the daemon is replaced meanwhile. The
//! bytes are split into lines here, without the limits of replies to agents.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

use super::place::Place;
use crate::cli::output::hosts::tell_unreachable;
use crate::client::{self, AutoStart, Connection, greeting, read_base64, read_reply};
use crate::protocol::bounds::TURN_MS;
use crate::protocol::params::{Log, LogFormat, Poll};
use crate::protocol::reply::{LogBytes, LogOrigin, Polled};
use crate::protocol::{Action, Error, ErrorCode, SessionId, Status, Timestamp};

/// Bytes of output per request: the most that `log` returns.
const PAGE: u64 = 1 << 20;

/// Pause while a job restarts. Between the end of one run and the start of the next there is no event to
/// wait for.
const BETWEEN_RUNS: Duration = Duration::from_millis(20);

/// Pause between two questions about a job whose host cannot be reached.
const HOST_PAUSE: Duration = Duration::from_secs(1);

/// A position in the output of one job, with a connection of its own.
#[derive(Debug)]
pub struct Follower {
    connection: Connection,
    session: SessionId,
    offset: u64,
    /// The newest run seen so far.
    run: Option<u32>,
    /// Pieces that were read but not returned yet.
    read: VecDeque<News>,
    /// Where reading stops.
    bound: Bound,
    /// Whether that has been reached.
    is_over: bool,
    /// Whether somebody waits for more than there was at first.
    follows: bool,
}

/// A position in the output of a job that has ended, without a connection.
#[derive(Debug)]
pub struct Resting {
    session: SessionId,
    offset: u64,
    run: Option<u32>,
}

impl Resting {
    /// Reads on from there.
    pub fn wake(self) -> Result<Follower, Error> {
        Ok(Follower {
            offset: self.offset,
            run: self.run,
            ..Follower::new(self.session)?
        })
    }
}

/// Where reading stops, although there may be more output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bound {
    /// Before this raw offset.
    pub offset: Option<u64>,
    /// Before output that was written after this time.
    pub until: Option<Timestamp>,
    /// Before output that is written after the first answer. A job that writes without pause has no other end.
    pub present: bool,
}

/// A piece of output.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Raw offset of its first byte.
    pub offset: u64,
    /// The bytes as the job wrote them, escape sequences included.
    pub bytes: Vec<u8>,
    /// When they were written, and to which stream.
    pub origins: Vec<LogOrigin>,
}

/// How a job has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// Its status.
    pub status: Status,
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<String>,
}

/// The result of [`Follower::read_on`].
#[derive(Debug)]
pub enum News {
    /// The next piece of output.
    Output(Piece),
    /// This many bytes are no longer kept.
    Gap(u64),
    /// The job was restarted. The following output belongs to the run with this number.
    Restarted(u32),
    /// The job has ended and everything has been read.
    Ended(Box<Polled>),
    /// All output has been read; the job is still running.
    Idle(Box<Polled>),
}

impl Follower {
    /// Starts at the oldest byte that is kept.
    pub fn new(session: SessionId) -> Result<Self, Error> {
        Ok(Self {
            connection: connect()?,
            session,
            offset: 0,
            run: None,
            read: VecDeque::new(),
            bound: Bound::default(),
            is_over: false,
            follows: false,
        })
    }

    /// Follows a job from its first run, so that every later run is reported as a restart.
    #[must_use]
    pub fn from_the_first_run(mut self) -> Self {
        self.run = Some(1);
        self
    }

    /// Continues at another position.
    pub fn go_to(&mut self, place: Place) {
        self.offset = place.offset;
    }

    /// Stops at a bound. What comes then counts as the end of the job.
    pub fn stop_at(&mut self, bound: Bound) {
        self.bound = bound;
    }

    /// Reads on behind the bound that was reached.
    pub fn go_on(&mut self) {
        self.bound = Bound::default();
        self.is_over = false;
    }

    /// Gives the connection up, once the job has ended.
    pub fn rest(self) -> Resting {
        Resting {
            session: self.session,
            offset: self.offset,
            run: self.run,
        }
    }

    /// The next piece of output, or the state of the job if there is none.
    pub fn read_on(&mut self) -> Result<News, Error> {
        loop {
            self.read_page()?;
            if let Some(news) = self.read.pop_front() {
                return Ok(news);
            }
            // Ask for the status before the output. If the status says that the job has ended, all its
            // output is already in the log.
            let polled = self.look(None, 0)?;
            if self.is_over {
                return Ok(News::Ended(Box::new(polled)));
            }
            let restarting = self.read_page()?;
            if let Some(news) = self.read.pop_front() {
                return Ok(news);
            }
            match polled.status.is_finished() {
                false => return Ok(News::Idle(Box::new(polled))),
                true if restarting => std::thread::sleep(BETWEEN_RUNS),
                true => return Ok(News::Ended(Box::new(polled))),
            }
        }
    }

    /// Blocks until something has happened since `seen`.
    pub fn wait(&mut self, seen: &Polled) -> Result<(), Error> {
        self.follows = true;
        match self.look(Some(seen.cursor.clone()), TURN_MS) {
            Ok(_) => Ok(()),
            // A new daemon may not know the cursor of the old one. The caller reads again at once.
            Err(error) if error.code == ErrorCode::InvalidParams => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Passes all output to `sink` until the job has ended. Returns how it has.
    pub fn drain<E: From<Error>>(
        &mut self,
        mut sink: impl FnMut(News) -> Result<(), E>,
    ) -> Result<End, E> {
        loop {
            match self.read_on()? {
                News::Ended(polled) => {
                    return Ok(End {
                        status: polled.status,
                        code: polled.exit_code,
                        signal: polled.signal,
                    });
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
            oldest: None,
            stream: None,
        };
        let value = self.ask(Action::Poll(poll))?;
        read_reply(value)
    }

    /// Asks about the job. What is followed on another host goes on when the way there is mended: nothing of it is
    /// lost.
    fn ask(&mut self, action: Action) -> Result<Value, Error> {
        let mut is_told = false;
        loop {
            match self.connection.call(action.clone()) {
                Err(error) if self.has_begun() && error.code == ErrorCode::HostUnreachable => {
                    if !std::mem::replace(&mut is_told, true) {
                        tell_unreachable(&error);
                    }
                    std::thread::sleep(HOST_PAUSE);
                }
                answer => return answer,
            }
        }
    }

    /// Whether somebody waits, or a part was read, so that giving up would leave half of it.
    fn has_begun(&self) -> bool {
        self.follows || self.run.is_some()
    }

    /// Reads the next page if all earlier pieces have been returned. Returns whether the job is being
    /// restarted.
    fn read_page(&mut self) -> Result<bool, Error> {
        if self.is_over || !self.read.is_empty() {
            return Ok(false);
        }
        let log = Log {
            session_id: Some(self.session.to_string()),
            offset: Some(self.offset),
            limit: Some(PAGE),
            format: Some(LogFormat::Base64),
            origins: Some(true),
            ..Log::default()
        };
        let value = self.ask(Action::Log(log))?;
        let page: LogBytes = read_reply(value)?;
        let restarting = page.restarting;
        self.take(page)?;
        Ok(restarting)
    }

    /// Queues a page, split where runs begin.
    fn take(&mut self, page: LogBytes) -> Result<(), Error> {
        if page.offset > self.offset {
            self.read.push_back(News::Gap(page.offset - self.offset));
        }
        if std::mem::take(&mut self.bound.present) {
            let end = self.bound.offset.unwrap_or(u64::MAX);
            self.bound.offset = Some(end.min(page.total_bytes));
        }
        let mut bytes = read_base64(&page.output)?;
        let origins = page.origins.unwrap_or_default();
        let mut next = page.next_offset;
        if let Some(end) = self.bound.before(page.offset, bytes.len(), &origins) {
            let kept = usize::try_from(end.saturating_sub(page.offset)).unwrap_or(usize::MAX);
            bytes.truncate(kept);
            next = next.min(end.max(page.offset));
            self.is_over = true;
        }
        let runs = page.runs.unwrap_or_default();
        let last = runs.last().map_or(0, |run| run.run);
        let mut known = self.run.unwrap_or(last);
        let mut offset = page.offset;
        let mut piece = |bytes: Vec<u8>, read: &mut VecDeque<News>| {
            let (length, origins) = (bytes.len() as u64, origins.clone());
            if length > 0 {
                read.push_back(News::Output(Piece {
                    offset,
                    bytes,
                    origins,
                }));
            }
            offset += length;
        };
        let mut cut = page.offset;
        for run in runs.iter().filter(|run| run.offset <= next) {
            if run.run <= known {
                continue;
            }
            known = run.run;
            let at = run.offset.max(cut);
            let before = usize::try_from(at - cut).unwrap_or(usize::MAX);
            let rest = bytes.split_off(before.min(bytes.len()));
            piece(std::mem::replace(&mut bytes, rest), &mut self.read);
            self.read.push_back(News::Restarted(run.run));
            cut = at;
        }
        piece(bytes, &mut self.read);
        self.run = Some(known);
        self.offset = next;
        Ok(())
    }
}

impl Bound {
    /// The offset at which a page of `length` bytes must be cut; `None` if all of it is before the bound.
    fn before(self, start: u64, length: usize, origins: &[LogOrigin]) -> Option<u64> {
        let later = self.until.and_then(|until| {
            let later = origins.iter().find(|origin| origin.at > until);
            later.map(|origin| origin.offset.max(start))
        });
        let end = start.saturating_add(length as u64);
        let offset = self.offset.filter(|offset| *offset <= end);
        later.into_iter().chain(offset).min()
    }
}

fn connect() -> Result<Connection, Error> {
    let mut connection = client::connect(&greeting::human(), AutoStart::Yes)?;
    connection.be_patient(tell_unreachable);
    Ok(connection)
}
