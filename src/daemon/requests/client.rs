//! One connected client: who it is, and its requests and watches in progress.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tokio::task::AbortHandle;

use super::in_flight::InFlight;
use crate::daemon::transport::outbox::Outbox;
use crate::engine::bus::ConnectionId;
use crate::engine::registry::Principal;
use crate::protocol::{Error, ErrorCode, Greeting, RequestId, Role, SessionId};

/// One connected client.
pub(crate) struct Client {
    pub(crate) id: ConnectionId,
    pub(crate) principal: Principal,
    pub(crate) greeting: Greeting,
    pub(crate) outbox: Rc<Outbox>,
    pub(crate) in_flight: InFlight,
    /// The sessions it watches, each with the task that sends the frames.
    pub(crate) watches: RefCell<HashMap<SessionId, AbortHandle>>,
}

impl Client {
    /// Refuses an agent; `what` completes "only people may".
    pub(crate) fn people_only(&self, what: &str) -> Result<(), Error> {
        match self.principal.role {
            Role::Human => Ok(()),
            Role::Agent => Err(Error::new(
                ErrorCode::PermissionDenied,
                format!("only people may {what}"),
            )),
        }
    }

    /// Cancels the oldest request in flight that has this id; false if there is none.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let ended = self.in_flight.abort(id);
        let is_there = ended.is_some();
        self.answer_cancelled(ended);
        is_there
    }

    /// Cancels every wait in flight.
    pub(crate) fn cancel_waits(&self) {
        self.answer_cancelled(self.in_flight.abort_waits());
    }

    /// Cancels every request in flight.
    pub(crate) fn cancel_all(&self) {
        self.answer_cancelled(self.in_flight.abort_all());
    }

    fn answer_cancelled(&self, ids: impl IntoIterator<Item = RequestId>) {
        for id in ids {
            let error = Error::new(ErrorCode::Cancelled, "The request was cancelled");
            self.outbox.push_reply(id, Err(error));
        }
    }

    /// Aborts all its requests and watches, without replies, because the client has disconnected.
    pub(crate) fn abandon(&self) {
        self.in_flight.abort_all();
        for watch in self.watches.take().into_values() {
            watch.abort();
        }
    }
}
