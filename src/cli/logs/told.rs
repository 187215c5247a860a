//! Events that a command is told of while it waits, by whichever daemon runs.

use crate::cli::output::hosts::tell_unreachable;
use crate::client::{Connection, greeting, host};
use crate::protocol::params::Subscribe;
use crate::protocol::{Action, Error, Event, EventKind};

/// A connection with a subscription.
pub(crate) struct Told {
    /// The connection. It also takes requests.
    pub(crate) connection: Connection,
    kinds: &'static [EventKind],
}

impl Told {
    /// Subscribes to events of these kinds.
    pub(crate) fn of(kinds: &'static [EventKind]) -> Result<Self, Error> {
        let mut connection = host::connect_again(&greeting::human(), tell_unreachable)?;
        connection.call(Action::Subscribe(Subscribe {
            events: Some(kinds.to_vec()),
            ..Subscribe::default()
        }))?;
        Ok(Self { connection, kinds })
    }

    /// The next event. `None` if the daemon has been replaced, so that some may have been missed.
    pub(crate) fn next(&mut self) -> Result<Option<Event>, Error> {
        if let Ok(event) = self.connection.next_event() {
            return Ok(Some(event));
        }
        *self = Self::of(self.kinds)?;
        Ok(None)
    }
}
