//! Requests that go on when the way to the jobs is broken: jobs outlive their daemon and the connection to their host.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::hosts::tell_unreachable;
use crate::protocol::{Action, ErrorCode};

/// Pause between two attempts to reach a host.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a command goes on asking.
#[derive(Debug)]
pub(in crate::cli) struct Patience {
    /// `None`: for ever.
    deadline: Option<Instant>,
    /// Whether the person knows that the host cannot be reached.
    is_told: bool,
}

impl Patience {
    /// Ends with this deadline.
    pub(in crate::cli) fn until(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            is_told: false,
        }
    }

    /// Sends a request that changes nothing. `None` if it has to be sent again, which may be for a shorter time than
    /// before: the daemon was replaced, or the host could not be reached.
    ///
    /// # Errors
    ///
    /// [`Exit::TIMED_OUT`] if the host cannot be reached until the deadline; all others at once.
    pub(in crate::cli) fn ask(
        &mut self,
        ctx: &mut Context,
        action: Action,
    ) -> Result<Option<Value>, Failure> {
        let error = match ctx.daemon() {
            Ok(daemon) => match daemon.call(action) {
                Ok(value) => {
                    self.is_told = false;
                    return Ok(Some(value));
                }
                Err(error) if error.code == ErrorCode::DaemonUnavailable => {
                    ctx.hang_up();
                    return Ok(None);
                }
                Err(error) => error,
            },
            Err(Failure::Refused(error)) => error,
            Err(failure) => return Err(failure),
        };
        if error.code != ErrorCode::HostUnreachable {
            return Err(error.into());
        }
        // With -H, the next request opens the link again.
        ctx.hang_up();
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            let message = format!("the timeout expired: {error}");
            return Err(Failure::with_message(Exit::TIMED_OUT, message));
        }
        if !std::mem::replace(&mut self.is_told, true) {
            tell_unreachable(&error);
        }
        std::thread::sleep(left.map_or(PAUSE, |left| left.min(PAUSE)));
        Ok(None)
    }
}
