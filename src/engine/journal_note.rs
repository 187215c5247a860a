//! The lines of the journal: what changes the history of events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::{Event, EventKind, Scope, SessionId, Timestamp};

/// A stored lifecycle event.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entry {
    /// The event, as it was sent.
    #[serde(flatten)]
    pub event: Event,
    /// Scope of the session.
    pub scope: Scope,
    /// Whether this is a completion that no client of its scope has received.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undelivered: bool,
}

impl Entry {
    /// The event's number. Every stored event has one.
    pub fn seq(&self) -> u64 {
        self.event.seq.unwrap_or_default()
    }

    /// The event with the scope of its session.
    #[must_use]
    pub fn with_scope(&self) -> Event {
        Event {
            scope: Some(self.scope.clone()),
            ..self.event.clone()
        }
    }
}

/// One change of the history; one line of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase", try_from = "Line")]
pub enum Note {
    /// An event happened.
    Entry(Entry),
    /// A scope has acknowledged all events up to a number.
    Ack {
        /// That number.
        ack: u64,
        /// The scope.
        scope: Scope,
    },
    /// Completions have been delivered.
    Delivered {
        /// Their numbers.
        delivered: Vec<u64>,
    },
    /// Numbers up to this one have been used, even if their events are gone.
    Used {
        /// That number.
        used: u64,
        /// Events up to this number may be gone.
        #[serde(skip_serializing_if = "is_zero")]
        forgotten: u64,
    },
    /// The events of a host up to a number of that host have been published.
    Host {
        /// The host.
        host: Box<str>,
        /// That number.
        host_seq: u64,
    },
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A note as it is read. With all fields side by side, serde parses a line in one pass; with the
/// untagged enum it would buffer each line and try every variant.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Line {
    event: Option<EventKind>,
    seq: Option<u64>,
    at: Option<Timestamp>,
    session_id: Option<SessionId>,
    host: Option<Box<str>>,
    host_seq: Option<u64>,
    data: Value,
    scope: Option<Scope>,
    undelivered: bool,
    ack: Option<u64>,
    delivered: Option<Vec<u64>>,
    used: Option<u64>,
    forgotten: u64,
}

impl TryFrom<Line> for Note {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, Self::Error> {
        match line {
            Line {
                event: Some(event),
                seq: Some(seq),
                scope: Some(scope),
                ..
            } => Ok(Self::Entry(Entry {
                event: Event {
                    seq: Some(seq),
                    at: line.at,
                    session_id: line.session_id,
                    host: line.host,
                    host_seq: line.host_seq,
                    data: line.data,
                    ..Event::of(event)
                },
                scope,
                undelivered: line.undelivered,
            })),
            Line {
                ack: Some(ack),
                scope: Some(scope),
                ..
            } => Ok(Self::Ack { ack, scope }),
            Line {
                delivered: Some(delivered),
                ..
            } => Ok(Self::Delivered { delivered }),
            Line {
                used: Some(used),
                forgotten,
                ..
            } => Ok(Self::Used { used, forgotten }),
            Line {
                host: Some(host),
                host_seq: Some(host_seq),
                ..
            } => Ok(Self::Host { host, host_seq }),
            _ => Err("it is neither an event nor a note about one"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::tests::golden;

    fn scope(name: &str) -> Scope {
        Scope::named(name).unwrap()
    }

    fn used(used: u64) -> Note {
        Note::Used { used, forgotten: 0 }
    }

    #[test]
    fn the_journal_of_version_1() {
        let entry = |seq, kind, session, data| {
            Note::Entry(Entry {
                event: Event {
                    seq: Some(seq),
                    at: Some(golden::at(10 * seq as i64)),
                    session_id: Some(golden::id(session)),
                    data,
                    ..Event::of(kind)
                },
                scope: scope("builder"),
                undelivered: seq == 8,
            })
        };
        let completion = |status, code| {
            json!({"label": "make", "command": "make", "status": status, "exitCode": code,
                "signal": null, "runtimeMs": 60_000, "output": "out\nerr\nend.\n"})
        };
        let notes = [
            used(4),
            entry(5, EventKind::Started, "done00000001", json!({})),
            entry(6, EventKind::Exited, "done00000001", completion("done", 0)),
            Note::Delivered { delivered: vec![6] },
            Note::Ack {
                ack: 6,
                scope: scope("builder"),
            },
            entry(7, EventKind::Started, "error0000001", json!({})),
            entry(8, EventKind::Exited, "error0000001", completion("error", 3)),
            entry(9, EventKind::Adopted, "running00001", json!({})),
        ];
        golden::lines("home/journal.jsonl", &notes, &[""]);
    }

    #[test]
    fn a_line_is_the_event_as_sent_with_its_scope() {
        let id = "000000000001";
        let told = Entry {
            event: Event {
                seq: Some(7),
                at: Some(Timestamp(7000)),
                session_id: SessionId::parse(id),
                ..Event::of(EventKind::Exited)
            },
            scope: scope("a"),
            undelivered: true,
        };
        let line = serde_json::to_value(Note::Entry(told.clone())).unwrap();
        let expected = json!({"event": "exited", "seq": 7, "at": "1970-01-01T00:00:07.000Z",
            "sessionId": id, "data": null, "scope": "a", "undelivered": true});
        assert_eq!(line, expected);
        for note in [
            Note::Entry(told),
            Note::Ack {
                ack: 3,
                scope: scope("b"),
            },
            Note::Delivered {
                delivered: vec![1, 2],
            },
            used(9),
        ] {
            let line = serde_json::to_vec(&note).unwrap();
            assert_eq!(serde_json::from_slice::<Note>(&line).unwrap(), note);
        }
    }
}
