//! What agents have asked people, until somebody has answered.
//!
//! A person answers by typing into the session: with a finished line (or `^C`,
//! `^D`), or with keys after which nobody types any more. That, or declining,
//! settles everything that is asked about the session. Nothing of it is kept on
//! disk: `--serve` asks a new daemon again.

use serde_json::json;
use tokio::sync::oneshot;

use super::hub::{Hub, now};
use super::state::State;
use crate::engine::registry::Principal;
use crate::protocol::record::Asked;
use crate::protocol::reply::AskOutcome;
use crate::protocol::{EventKind, SessionId, Timestamp};

/// Questions that nobody has answered, oldest first.
#[derive(Default)]
pub(super) struct Asks {
    open: Vec<Open>,
    last: u64,
}

struct Open {
    number: u64,
    session: SessionId,
    asked: Asked,
    /// Whether a person has typed since.
    typed: bool,
    /// Dropped without a word, the session is over.
    answer: oneshot::Sender<AskOutcome>,
}

impl Asks {
    /// What is being asked about a session.
    pub(super) fn about(&self, session: &SessionId) -> Vec<Asked> {
        let about = self.open.iter().filter(|open| open.session == *session);
        about.map(|open| open.asked.clone()).collect()
    }
}

/// A question that is being waited for; dropped, nobody wants an answer any more.
pub(super) struct Question {
    hub: Hub,
    number: u64,
    session: SessionId,
    /// The answer.
    pub(super) answer: oneshot::Receiver<AskOutcome>,
    timed_out: bool,
}

impl Question {
    /// Asks people about a session; `timeout_ms` is only told.
    pub(super) fn put(
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
        let number = hub.with(|state| {
            let asks = &mut state.asks;
            asks.last += 1;
            let number = asks.last;
            let by = super::actions::actor(viewer).ended_by();
            let data = json!({ "message": asked.message, "by": by, "until": asked.until });
            asks.open.push(Open {
                number,
                session: session.clone(),
                asked,
                typed: false,
                answer: sender,
            });
            state.publish(EventKind::HumanAsked, session, data);
            number
        });
        Self {
            hub: hub.clone(),
            number,
            session: session.clone(),
            answer,
            timed_out: false,
        }
    }

    /// Nobody has answered in time.
    pub(super) fn time_out(&mut self) {
        self.timed_out = true;
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let (number, session) = (self.number, &self.session);
        let outcome = if self.timed_out {
            "timeout"
        } else {
            "cancelled"
        };
        self.hub.with(|state| {
            let open = &mut state.asks.open;
            let before = open.len();
            open.retain(|open| open.number != number);
            if open.len() < before {
                let data = json!({ "outcome": outcome });
                state.publish(EventKind::HumanAnswered, session, data);
            }
        });
    }
}

impl State {
    /// Settles everything that is asked about a session. Says how much that was.
    pub(super) fn settle_asks(&mut self, session: &SessionId, outcome: AskOutcome) -> usize {
        let settled = self.take_asks(session);
        let count = settled.len();
        for open in settled {
            // Whoever asked may be gone this very moment.
            let _ = open.answer.send(outcome);
            let data = json!({ "outcome": outcome });
            self.publish(EventKind::HumanAnswered, session, data);
        }
        count
    }

    /// A person has typed: that answers once it is `finished`.
    pub(super) fn typed_for_asks(&mut self, session: &SessionId, finished: bool) {
        if finished {
            self.settle_asks(session, AskOutcome::Answered);
            return;
        }
        let about = self.asks.open.iter_mut().filter(|o| o.session == *session);
        about.for_each(|open| open.typed = true);
    }

    /// Nobody types any more: who has typed has answered.
    pub(super) fn settle_typed_asks(&mut self, session: &SessionId) {
        let mut about = self.asks.open.iter().filter(|o| o.session == *session);
        if about.any(|open| open.typed) {
            self.settle_asks(session, AskOutcome::Answered);
        }
    }

    /// The session is over, and with it what is asked about it.
    pub(super) fn forget_asks(&mut self, session: &SessionId) {
        for open in self.take_asks(session) {
            drop(open.answer);
            let data = json!({ "outcome": "ended" });
            self.publish(EventKind::HumanAnswered, session, data);
        }
    }

    fn take_asks(&mut self, session: &SessionId) -> Vec<Open> {
        let open = std::mem::take(&mut self.asks.open).into_iter();
        let (about, others) = open.partition(|open| open.session == *session);
        self.asks.open = others;
        about
    }
}
