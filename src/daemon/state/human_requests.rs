//! Questions that agents ask people (`ask_human`), until they are answered.
//!
//! A person answers by typing into the session: with a finished line (or `^C`, `^D`), or with other keys once
//! the person's lease ends. Typing, or declining, settles all questions about the session. Questions are not
//! kept on disk: after the death of a daemon, `--serve` asks the next one again.

use serde_json::json;
use tokio::sync::oneshot;

use super::State;
use crate::engine::registry::Principal;
use crate::protocol::record::Asked;
use crate::protocol::reply::AskOutcome;
use crate::protocol::{EventKind, SessionId};

/// Unanswered questions, oldest first.
#[derive(Default)]
pub(crate) struct HumanRequests {
    open: Vec<Open>,
    last: u64,
}

struct Open {
    number: u64,
    session: SessionId,
    asked: Asked,
    /// Whether a person has typed since the question was asked.
    typed: bool,
    /// Dropped without an answer when the session ends.
    answer: oneshot::Sender<AskOutcome>,
}

impl HumanRequests {
    /// The unanswered questions about a session.
    pub(crate) fn about(&self, session: &SessionId) -> Vec<Asked> {
        let about = self.open.iter().filter(|open| open.session == *session);
        about.map(|open| open.asked.clone()).collect()
    }
}

impl State {
    /// Asks people about a session, on behalf of an agent. Returns the number of the question.
    pub(crate) fn ask_people(
        &mut self,
        by: &Principal,
        session: &SessionId,
        asked: Asked,
        answer: oneshot::Sender<AskOutcome>,
    ) -> u64 {
        let by = by.actor().ended_by();
        let data = json!({ "message": asked.message, "by": by, "until": asked.until });
        self.human_requests.last += 1;
        let number = self.human_requests.last;
        self.human_requests.open.push(Open {
            number,
            session: session.clone(),
            asked,
            typed: false,
            answer,
        });
        self.publish(EventKind::HumanAsked, session, data);
        number
    }

    /// Withdraws an unanswered question, and publishes `reason` as its outcome.
    pub(crate) fn withdraw_question(&mut self, number: u64, session: &SessionId, reason: &str) {
        let open = &mut self.human_requests.open;
        let before = open.len();
        open.retain(|open| open.number != number);
        if open.len() < before {
            let data = json!({ "outcome": reason });
            self.publish(EventKind::HumanAnswered, session, data);
        }
    }

    /// Settles all questions about a session, and returns their number.
    pub(crate) fn settle_asks(&mut self, session: &SessionId, outcome: AskOutcome) -> usize {
        let settled = self.take_asks(session);
        let count = settled.len();
        for open in settled {
            // Sending fails if the asking client has just disconnected.
            let _ = open.answer.send(outcome);
            let data = json!({ "outcome": outcome });
            self.publish(EventKind::HumanAnswered, session, data);
        }
        count
    }

    /// Notes that a person has typed. If a line or the like is `finished`, this answers the questions.
    pub(crate) fn typed_for_asks(&mut self, session: &SessionId, finished: bool) {
        if finished {
            self.settle_asks(session, AskOutcome::Answered);
            return;
        }
        let about = self
            .human_requests
            .open
            .iter_mut()
            .filter(|o| o.session == *session);
        about.for_each(|open| open.typed = true);
    }

    /// Called when a person's lease has ended: if the person typed anything, the questions are answered.
    pub(crate) fn settle_typed_asks(&mut self, session: &SessionId) {
        let mut about = self
            .human_requests
            .open
            .iter()
            .filter(|o| o.session == *session);
        if about.any(|open| open.typed) {
            self.settle_asks(session, AskOutcome::Answered);
        }
    }

    /// Closes the questions about a session that has ended.
    pub(crate) fn forget_asks(&mut self, session: &SessionId) {
        for open in self.take_asks(session) {
            drop(open.answer);
            let data = json!({ "outcome": "ended" });
            self.publish(EventKind::HumanAnswered, session, data);
        }
    }

    fn take_asks(&mut self, session: &SessionId) -> Vec<Open> {
        let open = std::mem::take(&mut self.human_requests.open).into_iter();
        let (about, others) = open.partition(|open| open.session == *session);
        self.human_requests.open = others;
        about
    }
}
