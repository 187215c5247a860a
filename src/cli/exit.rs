//! Exit codes, and the failures that they stand for.
//!
//! The codes are part of the contract of the command line (`bgproc help exit-codes`). They follow existing
//! conventions: LSB for 3, supervisorctl for 4, coreutils for 124, docker and env for 125 to 127.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use crate::config::ConfigError;
use crate::protocol::signal::number_in_record;
use crate::protocol::{Error, ErrorCode, Status};

/// An exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit(pub u8);

impl Exit {
    /// Success.
    pub const OK: Self = Self(0);
    /// The operation failed.
    pub const FAILED: Self = Self(1);
    /// Wrong usage or wrong configuration.
    pub const USAGE: Self = Self(2);
    /// The job is not in the required state.
    pub const STATE: Self = Self(3);
    /// There is no such job.
    pub const NO_JOB: Self = Self(4);
    /// The target matches several jobs.
    pub const AMBIGUOUS: Self = Self(5);
    /// The daemon cannot be reached or started.
    pub const UNAVAILABLE: Self = Self(69);
    /// A timeout expired.
    pub const TIMED_OUT: Self = Self(124);
    /// An error inside bgproc.
    pub const BROKEN: Self = Self(125);
    /// The program exists but cannot be executed.
    pub const NOT_EXECUTABLE: Self = Self(126);
    /// The program was not found.
    pub const NOT_FOUND: Self = Self(127);
    /// Ended by Ctrl-C (SIGINT).
    pub const INTERRUPTED: Self = Self(130);

    /// `self`, or `other` if `self` is success.
    pub fn or(self, other: Self) -> Self {
        if self == Self::OK { other } else { self }
    }

    /// The exit code for a job that has ended: its own, or 128 plus the number of the signal.
    pub fn of_job(status: Status, exit_code: Option<i32>, signal: Option<&str>) -> Self {
        match (exit_code, signal.and_then(number_in_record)) {
            // As timeout(1): a job that timed out gives 124, whatever its own exit code is.
            _ if status == Status::TimedOut => Self::TIMED_OUT,
            (Some(code), _) => Self(u8::try_from(code & 0xff).unwrap_or(1)),
            (None, Some(number)) => {
                Self(u8::try_from(number.saturating_add(128)).unwrap_or(u8::MAX))
            }
            (None, None) => Self::FAILED,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An error of the daemon or of the connection to it.
    #[error(transparent)]
    Refused(#[from] Error),
    /// Wrong arguments.
    #[error("{0}")]
    Usage(String),
    /// An error of the command line itself, with its exit code.
    #[error("{message}")]
    Told {
        /// What failed, and why.
        message: String,
        /// What to do next.
        hint: Option<String>,
        /// The exit code.
        exit: Exit,
    },
    /// An error in `config.toml`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Standard output failed, or what a link is served on.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
}

impl Failure {
    /// A failure without a hint.
    pub fn with_message(exit: Exit, message: impl Into<String>) -> Self {
        Self::Told {
            message: message.into(),
            hint: None,
            exit,
        }
    }

    /// The failure of something that was asked of the system: `cannot WHAT: REASON`.
    pub fn cannot(what: impl Display) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::with_message(Exit::FAILED, format!("cannot {what}: {error}"))
    }

    /// Adds what to do next, in place of what was said before. An error of the daemon keeps its code.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Self::Refused(error) => Self::Refused(error.hint(hint)),
            // It is silent.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Self::Output(error),
            other => Self::Told {
                message: other.to_string(),
                hint: Some(hint.into()),
                exit: other.exit(),
            },
        }
    }

    /// The text of the hint: what to do next. `None` if there is none.
    pub fn hint_text(&self) -> Option<&str> {
        match self {
            Self::Refused(error) => error.hint.as_deref(),
            Self::Told { hint, .. } => hint.as_deref(),
            Self::Usage(_) | Self::Config(_) | Self::Output(_) => None,
        }
    }

    /// The exit code. A closed pipe on standard output is not a failure.
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

/// The exit code for an error of the protocol.
pub fn of_error(error: &Error) -> Exit {
    match error.code {
        ErrorCode::SessionNotFound | ErrorCode::SessionRemoved => Exit::NO_JOB,
        ErrorCode::SessionNotRunning
        | ErrorCode::StdinNotAvailable
        | ErrorCode::InputHeld
        | ErrorCode::NoShell
        | ErrorCode::NotATty => Exit::STATE,
        ErrorCode::InvalidKey
        | ErrorCode::InvalidParams
        | ErrorCode::InvalidRequest
        | ErrorCode::ParseError
        | ErrorCode::ProjectNotFound
        | ErrorCode::InvalidProject
        | ErrorCode::HostUnknown
        | ErrorCode::UnknownAction => Exit::USAGE,
        ErrorCode::DaemonUnavailable
        | ErrorCode::IncompatibleVersion
        | ErrorCode::HostUnreachable
        | ErrorCode::AuthRequired
        | ErrorCode::HostKeyUnknown
        | ErrorCode::HostNotInstalled => Exit::UNAVAILABLE,
        ErrorCode::Internal => Exit::BROKEN,
        ErrorCode::SpawnFailed => of_errno(error),
        // There is none with this name: these are the ones that there are.
        ErrorCode::LauncherRefused if has(error, "launchers") => Exit::USAGE,
        ErrorCode::PermissionDenied
        | ErrorCode::LimitExceeded
        | ErrorCode::TooLarge
        | ErrorCode::Cancelled
        | ErrorCode::DiskFull
        | ErrorCode::LauncherRefused
        | ErrorCode::Unsupported => Exit::FAILED,
    }
}

/// Whether the data of an error has this field.
fn has(error: &Error, field: &str) -> bool {
    let data = error.data.as_ref();
    data.is_some_and(|data| data.get(field).is_some())
}

/// The exit code for a program that could not be started: 127 if it does not exist, 126 if it cannot be
/// executed.
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
        for (signal, code) in [("SIG40", 168), ("SIG64", 192), ("SIGPWR", 158)] {
            let exit = Exit::of_job(Status::Error, None, Some(signal));
            assert_eq!(exit, Exit(code), "{signal}");
        }
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
    fn a_launcher_that_does_not_exist_is_wrong_usage() {
        let refused = Error::new(ErrorCode::LauncherRefused, "x");
        assert_eq!(of_error(&refused), Exit::FAILED);
        let unknown = refused.data(json!({ "launchers": ["slurm"] }));
        assert_eq!(of_error(&unknown), Exit::USAGE);
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let broken = Failure::Output(io::ErrorKind::BrokenPipe.into());
        assert_eq!(broken.exit(), Exit::OK);
        let full = Failure::Output(io::ErrorKind::StorageFull.into());
        assert_eq!(full.exit(), Exit::FAILED);
        let hinted = Failure::Output(io::ErrorKind::BrokenPipe.into()).hint("x");
        assert_eq!(hinted.exit(), Exit::OK);
    }

    #[test]
    fn each_failure_keeps_a_hint() {
        let refused = || Error::new(ErrorCode::ProjectNotFound, "no project");
        let unreadable = ConfigError::Unreadable {
            path: "config.toml".into(),
            source: io::ErrorKind::PermissionDenied.into(),
        };
        for failure in [
            Failure::Refused(refused()),
            Failure::Refused(refused().hint("another")),
            Failure::Usage("no command given".to_owned()),
            Failure::with_message(Exit::NO_JOB, "no such job"),
            Failure::Config(unreadable),
            Failure::Output(io::ErrorKind::StorageFull.into()),
        ] {
            let (text, exit) = (failure.to_string(), failure.exit());
            let hinted = failure.hint("bgproc help");
            assert_eq!(hinted.hint_text(), Some("bgproc help"), "{text}");
            assert_eq!((hinted.to_string(), hinted.exit()), (text, exit));
        }
        let hinted = Failure::Refused(refused()).hint("bgproc init");
        assert!(
            matches!(hinted, Failure::Refused(error) if error.code == ErrorCode::ProjectNotFound)
        );
    }
}
