//! The state of a session, of its input, and how its program is connected.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a session's program is connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// A pseudo-terminal; stdout and stderr are one stream.
    #[default]
    Pty,
    /// Three pipes; stdout and stderr are separate streams.
    Pipe,
}

/// Status of a session.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits for its prerequisites.
    Queued,
    /// Requested, but not running yet.
    Starting,
    /// Its program is running.
    Running,
    /// Stopped by a signal.
    Paused,
    /// Asked to end; the grace period is running.
    Stopping,
    /// Waits for a restart by its restart policy.
    Retrying,
    /// Ended with exit code 0.
    Done,
    /// Ended with another exit code, or by a signal that bgproc did not send.
    Error,
    /// Ended by `kill`, or by the last signal that bgproc sent.
    Killed,
    /// Ended by its time limit.
    TimedOut,
    /// Ended, but no process could observe how.
    Lost,
}

impl Status {
    /// Every status, in the order of a session's life.
    pub const ALL: [Self; 11] = [
        Self::Queued,
        Self::Starting,
        Self::Running,
        Self::Paused,
        Self::Stopping,
        Self::Retrying,
        Self::Done,
        Self::Error,
        Self::Killed,
        Self::TimedOut,
        Self::Lost,
    ];

    /// Whether the session has ended for good.
    pub fn is_finished(self) -> bool {
        matches!(
            self,
            Self::Done | Self::Error | Self::Killed | Self::TimedOut | Self::Lost
        )
    }

    /// Whether it is an end in failure. A session that was ended by hand has not failed.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Error | Self::TimedOut | Self::Lost)
    }

    /// Whether the session has a process.
    pub fn has_process(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::Running | Self::Paused | Self::Stopping
        )
    }

    /// Its name as people read it: `timed out`.
    pub fn words(self) -> String {
        self.as_str().replace('_', " ")
    }

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Retrying => "retrying",
            Self::Done => "done",
            Self::Error => "error",
            Self::Killed => "killed",
            Self::TimedOut => "timed_out",
            Self::Lost => "lost",
        }
    }
}

/// What a program asks a person for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// A line of text.
    Line,
    /// A line that is not shown.
    Password,
}

/// What the program does with its input, according to the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum InputState {
    /// The program does not read.
    None,
    /// The program reads a line.
    Line,
    /// The program reads a line with echo off.
    Password,
    /// A line editor or REPL reads on the main screen.
    Raw,
    /// A full-screen program reads.
    Tui,
    /// The input is closed.
    Closed,
    /// The state could not be determined.
    #[default]
    Unknown,
}

impl InputState {
    /// What a program in this state asks a person for; `None` if it only reads, or does not. For a pipe, reading a line
    /// is normal operation and not a prompt.
    pub fn asks(self, mode: Mode) -> Option<Asks> {
        match self {
            Self::Password => Some(Asks::Password),
            Self::Line if mode == Mode::Pty => Some(Asks::Line),
            _ => None,
        }
    }
}
