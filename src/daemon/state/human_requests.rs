//! Questions that agents ask people (`ask_human`), until they are answered.
//!
//! A person answers by typing into the session: with a finished line (or `^C`, `^D`), or with other keys once
//! the person's lease ends. Typing, or declining, settles all questions about the session.
//!
//! The journal has each question. After the death of a daemon the next one shows those that are open, and whoever has
//! asked one, such as `--serve`, asks again. Such a request takes the question over, so that people are told of it once.

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::State;
use crate::engine::registry::Principal;
use crate::protocol::event::{HumanAsked, HumanSettled};
use crate::protocol::record::Asked;
use crate::protocol::reply::AskOutcome;
use crate::protocol::{EventKind, Scope, SessionId};

/// Difference in milliseconds up to which two times are the end of the same question, asked twice: the second request
/// leaves out the time since the first.
const SAME_END_MS: u64 = 5000;

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
    asker: Asker,
}

/// Who has asked a question.
enum Asker {
    /// A request that waits. Its sender is dropped without an answer when the session ends.
    Waits(oneshot::Sender<AskOutcome>),
    /// A request to an earlier daemon, which may be repeated.
    IsAway,
    /// A request to an earlier daemon, with the answer that was given meanwhile.
    Answered(AskOutcome),
}

impl Open {
    /// The data of the event that it is settled.
    fn settled_with(&self, outcome: &str) -> Value {
        json!(HumanSettled {
            outcome: outcome.to_owned(),
            message: Some(self.asked.message.clone()),
            until: Some(self.asked.until),
        })
    }

    /// Whether a request repeats this question, which was asked of an earlier daemon.
    fn is_repeated_by(&self, session: &SessionId, asked: &Asked) -> bool {
        let ends = [&self.asked, asked].map(|asked| asked.until.millis());
        !matches!(self.asker, Asker::Waits(_))
            && self.session == *session
            && self.asked.by == asked.by
            && self.asked.message == asked.message
            && ends[0].abs_diff(ends[1]) <= SAME_END_MS
    }
}

impl HumanRequests {
    /// The unanswered questions about a session.
    pub(crate) fn about(&self, session: &SessionId) -> Vec<Asked> {
        let is_open =
            |open: &&Open| open.session == *session && !matches!(open.asker, Asker::Answered(_));
        let about = self.open.iter().filter(is_open);
        about.map(|open| open.asked.clone()).collect()
    }

    /// The numbers of the unanswered questions about a session of these scopes.
    pub(crate) fn asked_by(
        &self,
        session: &SessionId,
        is_one: impl Fn(&Scope) -> bool,
    ) -> Vec<u64> {
        let is_open = |open: &&Open| {
            open.session == *session
                && !matches!(open.asker, Asker::Answered(_))
                && is_one(&open.asked.by)
        };
        let open = self.open.iter().filter(is_open);
        open.map(|open| open.number).collect()
    }

    /// Adds questions that were asked of an earlier daemon.
    pub(crate) fn restore(&mut self, session: &SessionId, questions: Vec<Asked>) {
        for asked in questions {
            self.add(session, asked, Asker::IsAway);
        }
    }

    /// Adds a question and returns its number.
    fn add(&mut self, session: &SessionId, asked: Asked, asker: Asker) -> u64 {
        self.last += 1;
        self.open.push(Open {
            number: self.last,
            session: session.clone(),
            asked,
            typed: false,
            asker,
        });
        self.last
    }

    /// Gives a question that was asked of an earlier daemon to the request that repeats it. Returns its number, or the
    /// sender if there is no such question.
    fn take_over(
        &mut self,
        session: &SessionId,
        asked: &Asked,
        answer: oneshot::Sender<AskOutcome>,
    ) -> Result<u64, oneshot::Sender<AskOutcome>> {
        let mut open = self.open.iter();
        let Some(place) = open.position(|open| open.is_repeated_by(session, asked)) else {
            return Err(answer);
        };
        let number = self.open[place].number;
        match self.open[place].asker {
            Asker::Answered(outcome) => {
                self.open.remove(place);
                // Sending fails if the asking client has just disconnected.
                let _ = answer.send(outcome);
            }
            _ => self.open[place].asker = Asker::Waits(answer),
        }
        Ok(number)
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
        let answer = match self.human_requests.take_over(session, &asked, answer) {
            Ok(number) => return number,
            Err(answer) => answer,
        };
        let by = by.actor().ended_by();
        let data = json!(HumanAsked {
            message: asked.message.clone(),
            by,
            until: asked.until,
        });
        let asker = Asker::Waits(answer);
        let number = self.human_requests.add(session, asked, asker);
        self.publish(EventKind::HumanAsked, session, data);
        number
    }

    /// Withdraws the questions to an earlier daemon that nobody has repeated.
    pub(crate) fn withdraw_unrepeated(&mut self) {
        let open = &mut self.human_requests.open;
        open.retain(|open| !matches!(open.asker, Asker::Answered(_)));
        let away = open
            .iter()
            .filter(|open| matches!(open.asker, Asker::IsAway));
        let away: Vec<(u64, SessionId)> = away
            .map(|open| (open.number, open.session.clone()))
            .collect();
        for (number, session) in away {
            self.withdraw_question(number, &session, "cancelled");
        }
    }

    /// Withdraws an unanswered question, and publishes `reason` as its outcome.
    pub(crate) fn withdraw_question(&mut self, number: u64, session: &SessionId, reason: &str) {
        let open = &mut self.human_requests.open;
        let Some(place) = open.iter().position(|open| open.number == number) else {
            return;
        };
        let settled = open.remove(place).settled_with(reason);
        self.publish(EventKind::HumanAnswered, session, settled);
    }

    /// Settles all questions about a session, and returns their number.
    pub(crate) fn settle_asks(&mut self, session: &SessionId, outcome: AskOutcome) -> usize {
        let mut count = 0;
        for mut open in self.take_asks(session) {
            let settled = open.settled_with(outcome.as_str());
            let is_new = match open.asker {
                Asker::Waits(answer) => {
                    // Sending fails if the asking client has just disconnected.
                    let _ = answer.send(outcome);
                    true
                }
                Asker::IsAway => {
                    open.asker = Asker::Answered(outcome);
                    self.human_requests.open.push(open);
                    true
                }
                Asker::Answered(_) => {
                    self.human_requests.open.push(open);
                    false
                }
            };
            if is_new {
                count += 1;
                self.publish(EventKind::HumanAnswered, session, settled);
            }
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
            if let Asker::Answered(_) = open.asker {
                continue;
            }
            let settled = open.settled_with("ended");
            drop(open.asker);
            self.publish(EventKind::HumanAnswered, session, settled);
        }
    }

    fn take_asks(&mut self, session: &SessionId) -> Vec<Open> {
        let open = std::mem::take(&mut self.human_requests.open).into_iter();
        let (about, others) = open.partition(|open| open.session == *session);
        self.human_requests.open = others;
        about
    }
}
