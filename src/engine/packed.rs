//! An event of the past as it is kept in memory: what goes with it is text, which takes a fifth of what the values
//! do.

use std::rc::Rc;

use super::event_history::Entry;
use crate::protocol::{Event, EventKind, Scope, SessionId, Timestamp};

/// A lifecycle event at rest.
#[derive(Debug)]
pub(super) struct Packed {
    /// Its number.
    pub(super) seq: u64,
    /// What happened.
    pub(super) kind: EventKind,
    /// When.
    pub(super) at: Option<Timestamp>,
    /// To whom.
    pub(super) session: Option<SessionId>,
    /// Whose session that is. Many events have the same.
    pub(super) scope: Rc<Scope>,
    /// Whether it is a completion that nobody of its scope has been told.
    pub(super) undelivered: bool,
    /// What goes with it, as JSON.
    data: Box<str>,
}

impl Packed {
    /// Packs an event; `like` is one that may have the same scope.
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

    /// The event as it was.
    pub(super) fn unpack(&self) -> Entry {
        Entry {
            event: Event {
                event: self.kind,
                seq: Some(self.seq),
                at: self.at,
                session_id: self.session.clone(),
                // It was written from a value.
                data: serde_json::from_str(&self.data).unwrap_or_default(),
            },
            scope: (*self.scope).clone(),
            undelivered: self.undelivered,
        }
    }

    /// Bytes of memory that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.data.len()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_unpacked_as_it_was() {
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
