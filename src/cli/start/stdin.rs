//! Passes standard input on to a job.

use std::io::{self, Read};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::fs::FileType;

use crate::cli::logs::told::Told;
use crate::cli::output::note;
use crate::client::{self, AutoStart, Connection, greeting};
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

/// Starts a thread that passes standard input and its end on to the job, until this process or the job
/// ends. The thread is not joined.
pub(crate) fn pass_on(id: SessionId) -> Result<(), Error> {
    let mut passing = Passing {
        connection: connect()?,
        id,
        turns: None,
        warned: false,
    };
    std::thread::spawn(move || {
        if let Err(error) = passing.run()
            && !is_over(&error)
        {
            note(&format!(
                "standard input is no longer passed on: {}",
                error.message
            ));
        }
    });
    Ok(())
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

    /// Writes as soon as the job runs: nothing is kept of what is written before.
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
                answer => return answer,
            }
        }
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
    client::connect(&greeting::human(), AutoStart::Yes)
}
