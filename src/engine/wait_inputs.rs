//! State of a session that wait conditions are compared with, besides its output.

use crate::protocol::Status;
use crate::protocol::status::InputState;

/// Values that wait conditions are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitInputs<'a> {
    /// Status of the session.
    pub status: Status,
    /// Whether the session ends, or has ended, only to be restarted on request.
    pub restarting: bool,
    /// Whether it is skipped: it has not started, and what it needs cannot come any more by itself.
    pub is_skipped: bool,
    /// Whether some of its output has not been checked yet. A line of it may decide before the end does.
    pub is_behind: bool,
    /// Input state of its program.
    pub input: InputState,
    /// Whether the program only listens to its input; see [`Session::listens`](super::session::Session::listens).
    pub listens: bool,
    /// Since when its program waits in the same read; see [`InputWatch::reads_since`](super::input::InputWatch::reads_since).
    pub reads_since: Option<u64>,
    /// Whether its probe holds; `None` without a probe.
    pub ready: Option<bool>,
    /// Whether its probe has taken longer than it may, or does not hold any more.
    pub is_late: bool,
    /// The awaited ports on which the process tree listens; `None` if they were not looked up,
    /// because that requires a look at every process.
    pub ports: Option<&'a [u16]>,
    /// The process group in the foreground of its terminal; `None` if it was not looked up.
    pub foreground: Option<u32>,
}

impl WaitInputs<'_> {
    /// Inputs with a status and nothing else.
    pub fn of(status: Status) -> Self {
        Self {
            status,
            restarting: false,
            is_skipped: false,
            is_behind: false,
            input: InputState::Unknown,
            listens: false,
            reads_since: None,
            ready: None,
            is_late: false,
            ports: None,
            foreground: None,
        }
    }
}
