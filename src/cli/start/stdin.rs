//! Passes standard input on to a job.

use std::io::{self, Read};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::fs::FileType;

use crate::cli::beside;
use crate::cli::exit::Failure;
use crate::cli::logs::told::Told;
use crate::cli::output::hosts::tell_unreachable;
use crate::cli::output::{complain, note};
use crate::client::{Connection, greeting, host};
use crate::protocol::params::{Encoding, Write};
use crate::protocol::reply::{Warning, Written};
use crate::protocol::{Action, Error, ErrorCode, EventKind, SessionId, Status};

/// Bytes per request. Encoded as base64 they stay well below the longest line of the protocol.
const CHUNK: usize = 256 * 1024;

/// First and longest pause before writing again to a job that does not read. The pause doubles each time.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// The events with which a job that waits for its turn begins, or ends without having run.
const TURNS: &[EventKind] = &[
    EventKind::Started,
    EventKind::Restarted,
    EventKind::Placed,
    EventKind::Exited,
    EventKind::Lost,
    EventKind::Removed,
];

/// Whether standard input is a pipe, a file or a socket, and not a terminal or `/dev/null`. It may still
/// never deliver anything.
pub(crate) fn is_piped() -> bool {
    let stat = rustix::fs::fstat(io::stdin());
    stat.is_ok_and(|stat| {
        matches!(
            FileType::from_raw_mode(stat.st_mode),
            FileType::Fifo | FileType::RegularFile | FileType::Socket
        )
    })
}

/// Whether somebody has written into a pipe that is standard input.
pub(crate) fn has_data() -> bool {
    let stat = rustix::fs::fstat(io::stdin());
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo)
        && rustix::io::ioctl_fionread(io::stdin()).is_ok_and(|bytes| bytes > 0)
}

/// Starts a thread that passes standard input and its end on to the job, until this process or the job
/// ends. The thread is not joined. If the input cannot be passed on any more, it ends this process with the reason,
/// because the job may wait for the rest for ever.
pub(crate) fn pass_on(id: SessionId) -> Result<(), Error> {
    let mut passing = Passing {
        connection: connect()?,
        id,
        turns: None,
        warned: false,
    };
    beside::start(move || {
        if let Err(error) = passing.run()
            && !is_over(&error)
        {
            let failure = Failure::from(error);
            complain(&failure);
            std::process::exit(i32::from(failure.exit().0));
        }
    })
}

struct Passing {
    connection: Connection,
    id: SessionId,
    /// Tells of [`TURNS`], once the job has had to wait.
    turns: Option<Told>,
    warned: bool,
}

impl Passing {
    fn run(&mut self) -> Result<(), Error> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let count = match io::stdin().read(&mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    note(&format!("standard input cannot be read: {error}"));
                    0
                }
            };
            if count == 0 {
                return self.write(b"", true).map(drop);
            }
            self.pass(&buffer[..count])?;
        }
    }

    /// Blocks while the job does not read, so that the source is read no faster than the job reads.
    fn pass(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        let mut pause = PAUSES.0;
        while !bytes.is_empty() {
            let written = self.write(bytes, false)?;
            if written.warnings.contains(&Warning::LineOver4095)
                && !std::mem::replace(&mut self.warned, true)
            {
                note(
                    "the terminal keeps only 4095 bytes of a line; without --pty there is no limit",
                );
            }
            let taken = usize::try_from(written.bytes_written).unwrap_or(usize::MAX);
            bytes = bytes.get(taken..).unwrap_or_default();
            if taken > 0 {
                pause = PAUSES.0;
            } else if !bytes.is_empty() {
                std::thread::sleep(pause);
                pause = PAUSES.1.min(pause * 2);
            }
        }
        Ok(())
    }

    /// Writes as soon as the job runs: nothing is kept of what is written before. If the daemon dies before it has read
    /// the request, the next one gets it.
    fn write(&mut self, bytes: &[u8], eof: bool) -> Result<Written, Error> {
        let write = Action::Write(Write {
            session_id: self.id.to_string(),
            data: (!bytes.is_empty()).then(|| STANDARD.encode(bytes)),
            encoding: Some(Encoding::Base64),
            eof: eof.then_some(true),
            passed_on: Some(true),
            ..Write::default()
        });
        loop {
            match self.connection.call_as(write.clone()) {
                Err(error) if has_still_to_start(&error) => self.await_turn()?,
                // A second end of the input does no harm.
                Err(error) if was_not_read(&error) || is_gone(&error) && bytes.is_empty() => {
                    self.connection = connect()?;
                }
                Err(error) if is_gone(&error) => return Err(self.unsure(bytes.len())),
                answer => return answer,
            }
        }
    }

    fn unsure(&self, bytes: usize) -> Error {
        let id = &self.id;
        let message = format!(
            "the daemon ended while it passed on standard input: it is not known whether the job has the last {bytes} bytes"
        );
        Error::new(ErrorCode::DaemonUnavailable, message).hint(format!(
            "the job keeps running and waits for the rest; to end it: bgproc stop {id}"
        ))
    }

    /// Blocks until something has happened to the job that may let it run. The first call only subscribes, because the
    /// job may have started before that.
    fn await_turn(&mut self) -> Result<(), Error> {
        let Some(turns) = &mut self.turns else {
            self.turns = Some(Told::of(TURNS)?);
            return Ok(());
        };
        while let Some(event) = turns.next()? {
            if event.session_id.as_ref() == Some(&self.id) {
                return Ok(());
            }
        }
        // Another daemon runs now, which the old connection does not reach.
        self.connection = connect()?;
        Ok(())
    }
}

/// Whether the job does not run because it waits for its turn, and not because it is over.
fn has_still_to_start(error: &Error) -> bool {
    let status = error.data.as_ref().map(|data| &data["status"]);
    let is = |wanted: Status| status.is_some_and(|status| status == wanted.as_str());
    error.code == ErrorCode::SessionNotRunning && (is(Status::Queued) || is(Status::Starting))
}

fn is_gone(error: &Error) -> bool {
    error.code == ErrorCode::DaemonUnavailable
}

/// Whether the daemon died before it had read the request.
fn was_not_read(error: &Error) -> bool {
    let data = error.data.as_ref();
    is_gone(error) && data.is_some_and(|data| data["mayHaveHappened"] == false)
}

/// Whether the job is gone, which is not an error: `yes | head`.
fn is_over(error: &Error) -> bool {
    matches!(
        error.code,
        ErrorCode::SessionNotRunning
            | ErrorCode::StdinNotAvailable
            | ErrorCode::SessionNotFound
            | ErrorCode::SessionRemoved
    )
}

fn connect() -> Result<Connection, Error> {
    host::connect_again(&greeting::human(), tell_unreachable)
}
