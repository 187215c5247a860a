//! What past events have asked of people, and no later event has settled.
//!
//! The next daemon reads it from the journal, so that it tells nobody a second time.

use std::collections::HashMap;

use serde::Deserialize;

use super::event_history::{EventHistory, is_turn};
use crate::protocol::event::{HumanAsked, HumanSettled, InputNeeded};
use crate::protocol::record::Asked;
use crate::protocol::status::InputState;
use crate::protocol::{Event, EventKind, Scope, SessionId, Timestamp};

/// What people were told of one session in its present run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unsettled {
    /// The prompt of which they were told last, and when.
    pub prompt: Option<(InputState, Timestamp)>,
    /// The questions that have no answer, oldest first.
    pub questions: Vec<Asked>,
}

impl Unsettled {
    /// Removes the question that was settled; the oldest one if it is not known which.
    fn settle(&mut self, settled: HumanSettled) {
        let is_it = |asked: &Asked| {
            settled
                .message
                .as_ref()
                .is_none_or(|message| *message == asked.message)
                && settled.until.is_none_or(|until| until == asked.until)
        };
        if let Some(place) = self.questions.iter().position(is_it) {
            self.questions.remove(place);
        }
    }
}

/// What is unsettled of each session.
pub fn unsettled(past: &EventHistory) -> HashMap<SessionId, Unsettled> {
    let mut sessions: HashMap<SessionId, Unsettled> = HashMap::new();
    for packed in past.since(0) {
        let Some(id) = &packed.session else { continue };
        match packed.kind {
            EventKind::InputNeeded => {
                let prompt = prompt(&packed.unpack().event);
                sessions.entry(id.clone()).or_default().prompt = prompt;
            }
            EventKind::HumanAsked => {
                let asked = question(packed.unpack().event);
                let questions = &mut sessions.entry(id.clone()).or_default().questions;
                questions.extend(asked);
            }
            EventKind::HumanAnswered => {
                if let Some(unsettled) = sessions.get_mut(id) {
                    let settled = serde_json::from_value(packed.unpack().event.data);
                    unsettled.settle(settled.unwrap_or_default());
                }
            }
            kind if is_turn(kind) => {
                sessions.remove(id);
            }
            _ => {}
        }
    }
    sessions
}

fn prompt(event: &Event) -> Option<(InputState, Timestamp)> {
    let needed = InputNeeded::deserialize(&event.data).ok()?;
    Some((needed.input_state, event.at?))
}

fn question(event: Event) -> Option<Asked> {
    let at = event.at?;
    let asked: HumanAsked = serde_json::from_value(event.data).ok()?;
    Some(Asked {
        message: asked.message,
        by: asked.by.scope.unwrap_or_else(Scope::human),
        at,
        until: asked.until,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::engine::journal_note::Entry;

    const ID: &str = "000000000001";

    fn after(events: &[(EventKind, Value)]) -> Unsettled {
        let mut past = EventHistory::default();
        for (seq, (kind, data)) in (1..).zip(events) {
            past.add(Entry {
                event: Event {
                    seq: Some(seq),
                    at: Some(Timestamp(seq.cast_signed())),
                    session_id: SessionId::parse(ID),
                    data: data.clone(),
                    ..Event::of(*kind)
                },
                scope: Scope::named("a").unwrap(),
                undelivered: false,
            });
        }
        let id = SessionId::parse(ID).unwrap();
        unsettled(&past).remove(&id).unwrap_or_default()
    }

    fn needed() -> (EventKind, Value) {
        (
            EventKind::InputNeeded,
            json!({"inputState": "line", "prompt": "Name:"}),
        )
    }

    fn asked(message: &str) -> (EventKind, Value) {
        let by = json!({"kind": "agent", "scope": "a"});
        let data = json!({"message": message, "by": by, "until": Timestamp(9)});
        (EventKind::HumanAsked, data)
    }

    #[test]
    fn a_prompt_belongs_to_its_run() {
        let adopted = (EventKind::Adopted, json!({}));
        let left = after(&[(EventKind::Started, json!({})), needed(), adopted]);
        assert_eq!(left.prompt, Some((InputState::Line, Timestamp(2))));
        let left = after(&[needed(), (EventKind::Restarted, json!({}))]);
        assert_eq!(left, Unsettled::default());
    }

    #[test]
    fn a_question_is_open_until_its_answer() {
        let answered = (EventKind::HumanAnswered, json!({"outcome": "declined"}));
        let left = after(&[asked("one?"), asked("two?"), answered.clone()]);
        assert_eq!(left.questions.len(), 1);
        let two = &left.questions[0];
        assert_eq!((two.message.as_str(), two.by.as_str()), ("two?", "a"));
        assert_eq!(two.until, Timestamp(9));
        let data = json!({"outcome": "expired", "message": "two?", "until": Timestamp(9)});
        let second = (EventKind::HumanAnswered, data);
        let left = after(&[asked("one?"), asked("two?"), second]);
        assert_eq!(left.questions.len(), 1);
        assert_eq!(left.questions[0].message, "one?");
        let left = after(&[asked("one?"), answered, (EventKind::Lost, json!({}))]);
        assert_eq!(left, Unsettled::default());
    }
}
