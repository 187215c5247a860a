//! A question that an agent asks people, for the time of the request.

use tokio::sync::oneshot;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::engine::registry::Principal;
use crate::protocol::SessionId;
use crate::protocol::record::Asked;
use crate::protocol::reply::AskOutcome;

/// A pending question. Dropping it withdraws the question.
pub(crate) struct PendingQuestion {
    hub: Hub,
    number: u64,
    session: SessionId,
    /// Receives the answer.
    pub(crate) answer: oneshot::Receiver<AskOutcome>,
    timed_out: bool,
}

impl PendingQuestion {
    /// Asks people about a session. `timeout_ms` is only published with the question; the caller enforces it.
    pub(crate) fn put(
        hub: &Hub,
        principal: &Principal,
        session: &SessionId,
        message: String,
        timeout_ms: u64,
    ) -> Self {
        let (sender, answer) = oneshot::channel();
        let at = now().wall;
        let asked = Asked {
            message,
            by: principal.scope.clone(),
            at,
            until: at.after(timeout_ms),
        };
        let number = hub.change(|state| state.ask_people(principal, session, asked, sender));
        Self {
            hub: hub.clone(),
            number,
            session: session.clone(),
            answer,
            timed_out: false,
        }
    }

    /// Marks the question as timed out, which becomes its outcome when it is dropped.
    pub(crate) fn time_out(&mut self) {
        self.timed_out = true;
    }
}

impl Drop for PendingQuestion {
    fn drop(&mut self) {
        let (number, session) = (self.number, &self.session);
        let reason = if self.timed_out {
            "timeout"
        } else {
            "cancelled"
        };
        self.hub
            .change(|state| state.withdraw_question(number, session, reason));
    }
}
