//! Exit codes, and the failures that become one.
//!
//! The codes are part of the command line's contract (`bgproc help exit-codes`)
//! and follow what people know: LSB for 3, supervisorctl for 4, coreutils for
//! 124, docker and env for 125 to 127.

use std::io;
use std::process::ExitCode;

use crate::config::ConfigError;
use crate::protocol::{Error, ErrorCode, Status};

/// An exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit(pub u8);

impl Exit {
    /// It worked.
    pub const OK: Self = Self(0);
    /// It failed.
    pub const FAILED: Self = Self(1);
    /// Bad usage or bad configuration.
    pub const USAGE: Self = Self(2);
    /// The job is not in the needed state.
    pub const STATE: Self = Self(3);
    /// No such job.
    pub const NO_JOB: Self = Self(4);
    /// The target means several jobs.
    pub const AMBIGUOUS: Self = Self(5);
    /// The daemon cannot be reached or started.
    pub const UNAVAILABLE: Self = Self(69);
    /// Time ran out.
    pub const TIMED_OUT: Self = Self(124);
    /// bgproc itself broke.
    pub const BROKEN: Self = Self(125);
    /// The program is there and cannot be executed.
    pub const NOT_EXECUTABLE: Self = Self(126);
    /// The program was not found.
    pub const NOT_FOUND: Self = Self(127);
    /// Ended by Ctrl-C.
    pub const INTERRUPTED: Self = Self(130);

    /// The first that is not success.
    pub fn or(self, other: Self) -> Self {
        if self == Self::OK { other } else { self }
    }

    /// The code of a job that has ended: its own, or 128 and the signal's number.
    pub fn of_job(status: Status, exit_code: Option<i32>, signal: Option<&str>) -> Self {
        match (exit_code, signal.and_then(signal_number)) {
            // However it took the news: its time was over, as timeout(1) tells.
            _ if status == Status::TimedOut => Self::TIMED_OUT,
            (Some(code), _) => Self(u8::try_from(code & 0xff).unwrap_or(1)),
            (None, Some(number)) => Self(128u8.saturating_add(number)),
            (None, None) => Self::FAILED,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}

/// Number of a signal by its name (`SIGTERM`) or, for real-time signals, by `SIGRTMIN+n`.
fn signal_number(name: &str) -> Option<u8> {
    if let Some(above) = name.strip_prefix("SIGRTMIN+") {
        // glibc keeps 32 and 33 for itself.
        return above.parse::<u8>().ok().map(|above| 34 + above);
    }
    (1..32u8)
        .find(|number| signal_hook::low_level::signal_name(i32::from(*number)) == Some(name))
        .or_else(|| name.parse().ok())
}

/// Why a verb did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The daemon, or the way to it, said no.
    #[error(transparent)]
    Refused(#[from] Error),
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Said by us, with its code.
    #[error("{message}")]
    Told {
        /// What failed and why.
        message: String,
        /// What to do next.
        hint: Option<String>,
        /// The exit code.
        exit: Exit,
    },
    /// `config.toml` is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Standard output (or input) cannot be used.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// A failure of ours.
    pub fn told(exit: Exit, message: impl Into<String>) -> Self {
        Self::Told {
            message: message.into(),
            hint: None,
            exit,
        }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Self::Told { message, exit, .. } => Self::Told {
                message,
                hint: Some(hint.into()),
                exit,
            },
            other => other,
        }
    }

    /// What to do next, if anybody knows.
    pub fn advice(&self) -> Option<&str> {
        match self {
            Self::Refused(error) => error.hint.as_deref(),
            Self::Told { hint, .. } => hint.as_deref(),
            Self::Usage(_) | Self::Config(_) | Self::Output(_) => None,
        }
    }

    /// The exit code it becomes. A reader that went away is no failure.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Refused(error) => of_error(error),
            Self::Usage(_) | Self::Config(_) => Exit::USAGE,
            Self::Told { exit, .. } => *exit,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::OK,
            Self::Output(_) => Exit::FAILED,
        }
    }
}

/// The exit code of an error of the protocol.
pub fn of_error(error: &Error) -> Exit {
    match error.code {
        ErrorCode::SessionNotFound | ErrorCode::SessionRemoved => Exit::NO_JOB,
        ErrorCode::SessionNotRunning
        | ErrorCode::StdinNotAvailable
        | ErrorCode::InputHeld
        | ErrorCode::NotATty => Exit::STATE,
        ErrorCode::InvalidKey
        | ErrorCode::InvalidParams
        | ErrorCode::InvalidRequest
        | ErrorCode::ParseError
        | ErrorCode::UnknownAction => Exit::USAGE,
        ErrorCode::DaemonUnavailable | ErrorCode::IncompatibleVersion => Exit::UNAVAILABLE,
        ErrorCode::Internal => Exit::BROKEN,
        ErrorCode::SpawnFailed => of_errno(error),
        ErrorCode::PermissionDenied
        | ErrorCode::LimitExceeded
        | ErrorCode::TooLarge
        | ErrorCode::Cancelled
        | ErrorCode::DiskFull
        | ErrorCode::Unsupported => Exit::FAILED,
    }
}

/// A program that could not be started: not there, or there and not executable.
fn of_errno(error: &Error) -> Exit {
    use rustix::io::Errno;
    let errno = error.data.as_ref().and_then(|data| data["errno"].as_i64());
    match errno
        .and_then(|errno| i32::try_from(errno).ok())
        .map(Errno::from_raw_os_error)
    {
        Some(Errno::NOENT | Errno::NOTDIR) => Exit::NOT_FOUND,
        Some(Errno::ACCESS | Errno::NOEXEC | Errno::ISDIR | Errno::PERM) => Exit::NOT_EXECUTABLE,
        _ => Exit::FAILED,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_code_of_a_job_is_its_own_or_128_and_its_signal() {
        assert_eq!(Exit::of_job(Status::Error, Some(7), None), Exit(7));
        assert_eq!(
            Exit::of_job(Status::Killed, None, Some("SIGTERM")),
            Exit(143)
        );
        assert_eq!(
            Exit::of_job(Status::Error, None, Some("SIGSEGV")),
            Exit(139)
        );
        assert_eq!(
            Exit::of_job(Status::Error, None, Some("SIGRTMIN+1")),
            Exit(163)
        );
        assert_eq!(Exit::of_job(Status::Lost, None, None), Exit::FAILED);
        assert_eq!(
            Exit::of_job(Status::TimedOut, None, Some("SIGTERM")),
            Exit::TIMED_OUT
        );
    }

    #[test]
    fn a_spawn_error_tells_missing_from_forbidden() {
        let failed = |errno: Option<i32>| {
            of_error(&Error::new(ErrorCode::SpawnFailed, "x").data(json!({ "errno": errno })))
        };
        assert_eq!(failed(Some(2)), Exit::NOT_FOUND);
        assert_eq!(failed(Some(13)), Exit::NOT_EXECUTABLE);
        assert_eq!(failed(Some(8)), Exit::NOT_EXECUTABLE);
        assert_eq!(failed(Some(7)), Exit::FAILED);
        assert_eq!(failed(None), Exit::FAILED);
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let broken = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(broken.exit(), Exit::OK);
        let full = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(full.exit(), Exit::FAILED);
    }
}
