//! A stored lifecycle event in compact form. Its data is kept as JSON text, which takes a fifth of
//! the memory of parsed values.

use std::rc::Rc;

use super::event_history::Entry;
use crate::protocol::{Event, EventKind, Scope, SessionId, Timestamp};

/// A stored lifecycle event.
#[derive(Debug)]
pub(super) struct Packed {
    /// Event number.
    pub(super) seq: u64,
    /// Event kind.
    pub(super) kind: EventKind,
    /// Time of the event.
    pub(super) at: Option<Timestamp>,
    /// The session.
    pub(super) session: Option<SessionId>,
    /// Scope of the session. Events of the same scope share it.
    pub(super) scope: Rc<Scope>,
    /// Whether this is a completion that no client of its scope has received.
    pub(super) undelivered: bool,
    /// The event's data, as JSON.
    data: Box<str>,
}

impl Packed {
    /// Packs an event. `like` is another event that may have the same scope.
    pub(super) fn new(entry: Entry, like: Option<&Self>) -> Self {
        let Entry {
            event,
            scope,
            undelivered,
        } = entry;
        let shared = like.filter(|like| *like.scope == scope);
        Self {
            seq: event.seq.unwrap_or_default(),
            kind: event.event,
            at: event.at,
            session: event.session_id,
            scope: shared.map_or_else(|| Rc::new(scope), |like| like.scope.clone()),
            undelivered,
            data: event.data.to_string().into(),
        }
    }

    /// Restores the event.
    pub(super) fn unpack(&self) -> Entry {
        Entry {
            event: Event {
                event: self.kind,
                seq: Some(self.seq),
                at: self.at,
                session_id: self.session.clone(),
                // Cannot fail: the text was written from a value.
                data: serde_json::from_str(&self.data).unwrap_or_default(),
            },
            scope: (*self.scope).clone(),
            undelivered: self.undelivered,
        }
    }

    /// Approximate memory use, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.data.len()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unpacking_restores_the_event() {
        let entry = Entry {
            event: Event {
                event: EventKind::Exited,
                seq: Some(7),
                at: Some(Timestamp(1000)),
                session_id: SessionId::parse("000000000001"),
                data: json!({"label": null, "runtimeMs": 1.5, "output": "a\n\"\u{1b}é"}),
            },
            scope: Scope::human(),
            undelivered: true,
        };
        let one = Packed::new(entry.clone(), None);
        let two = Packed::new(entry.clone(), Some(&one));
        assert_eq!((one.unpack(), two.unpack()), (entry.clone(), entry));
        assert!(Rc::ptr_eq(&one.scope, &two.scope));
    }
}
