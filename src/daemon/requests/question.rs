//! A question that an agent asks people, while it waits for the answer.

use tokio::sync::oneshot;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::engine::registry::Principal;
use crate::protocol::record::Asked;
use crate::protocol::reply::AskOutcome;
use crate::protocol::{SessionId, Timestamp};

/// A question that is being waited for; dropped, nobody wants an answer any more.
pub(crate) struct Question {
    hub: Hub,
    number: u64,
    session: SessionId,
    /// The answer.
    pub(crate) answer: oneshot::Receiver<AskOutcome>,
    timed_out: bool,
}

impl Question {
    /// Asks people about a session; `timeout_ms` is only told.
    pub(crate) fn put(
        hub: &Hub,
        viewer: &Principal,
        session: &SessionId,
        message: String,
        timeout_ms: u64,
    ) -> Self {
        let (sender, answer) = oneshot::channel();
        let at = now().wall;
        let timeout = i64::try_from(timeout_ms).unwrap_or(i64::MAX);
        let asked = Asked {
            message,
            by: viewer.scope.clone(),
            at,
            until: Timestamp(at.millis().saturating_add(timeout)),
        };
        let number = hub.change(|state| state.ask_people(viewer, session, asked, sender));
        Self {
            hub: hub.clone(),
            number,
            session: session.clone(),
            answer,
            timed_out: false,
        }
    }

    /// Nobody has answered in time.
    pub(crate) fn time_out(&mut self) {
        self.timed_out = true;
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let (number, session) = (self.number, &self.session);
        let reason = match self.timed_out {
            true => "timeout",
            false => "cancelled",
        };
        self.hub
            .change(|state| state.withdraw_question(number, session, reason));
    }
}
