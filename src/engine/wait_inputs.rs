//! What is known of a session besides its output.

use crate::protocol::Status;
use crate::protocol::record::InputState;

/// What conditions are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitInputs<'a> {
    /// Where it is in its life.
    pub status: Status,
    /// Whether it ends, or has ended, only to be run again by somebody who restarts it.
    pub restarting: bool,
    /// What its program does with its input.
    pub input: InputState,
    /// Whether its probe holds; `None`: it has none.
    pub ready: Option<bool>,
    /// Of the ports that are waited for, those its tree listens on; `None`: they
    /// were not looked up, for that takes a look at every process.
    pub ports: Option<&'a [u16]>,
}

impl WaitInputs<'_> {
    /// Nothing but a status.
    pub fn of(status: Status) -> Self {
        Self {
            status,
            restarting: false,
            input: InputState::Unknown,
            ready: None,
            ports: None,
        }
    }
}
