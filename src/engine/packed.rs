//! A stored lifecycle event in compact form. Its data is kept as JSON text, which takes a fifth of
//! the memory of parsed values.

use std::rc::Rc;

use super::journal_note::Entry;
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
    /// The host, if its session does not name it, and its number there.
    origin: Option<Box<Origin>>,
    /// The event's data, as JSON.
    data: Box<str>,
}

/// Where an event of another host comes from.
#[derive(Debug)]
struct Origin {
    host: Option<Box<str>>,
    seq: Option<u64>,
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
        let of_session = event.session_id.as_ref().and_then(SessionId::host);
        let origin = event.host.is_some().then(|| Origin {
            host: event.host.filter(|host| of_session != Some(host)),
            seq: event.host_seq,
        });
        Self {
            seq: event.seq.unwrap_or_default(),
            kind: event.event,
            at: event.at,
            session: event.session_id,
            scope: shared.map_or_else(|| Rc::new(scope), |like| like.scope.clone()),
            undelivered,
            origin: origin.map(Box::new),
            data: event.data.to_string().into(),
        }
    }

    /// The host on which it happened, if not on this machine.
    pub(super) fn host(&self) -> Option<&str> {
        let named = self
            .origin
            .as_ref()
            .and_then(|origin| origin.host.as_deref());
        named.or_else(|| self.session.as_ref().and_then(SessionId::host))
    }

    /// Its number on that host.
    pub(super) fn host_seq(&self) -> Option<u64> {
        self.origin.as_ref().and_then(|origin| origin.seq)
    }

    /// Restores the event.
    pub(super) fn unpack(&self) -> Entry {
        Entry {
            event: Event {
                seq: Some(self.seq),
                at: self.at,
                session_id: self.session.clone(),
                host: self.host().map(Into::into),
                host_seq: self.host_seq(),
                // Cannot fail: the text was written from a value.
                data: serde_json::from_str(&self.data).unwrap_or_default(),
                ..Event::of(self.kind)
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
                seq: Some(7),
                at: Some(Timestamp(1000)),
                session_id: SessionId::parse("000000000001"),
                data: json!({"label": null, "runtimeMs": 1.5, "output": "a\n\"\u{1b}é"}),
                ..Event::of(EventKind::Exited)
            },
            scope: Scope::human(),
            undelivered: true,
        };
        let one = Packed::new(entry.clone(), None);
        let two = Packed::new(entry.clone(), Some(&one));
        assert_eq!((one.unpack(), two.unpack()), (entry.clone(), entry));
        assert!(Rc::ptr_eq(&one.scope, &two.scope));
    }

    #[test]
    fn events_of_hosts_keep_where_they_come_from() {
        for session in [None, SessionId::parse_any("000000000001@gpu1")] {
            let entry = Entry {
                event: Event {
                    seq: Some(7),
                    session_id: session,
                    host: Some("gpu1".into()),
                    host_seq: Some(3),
                    ..Event::of(EventKind::HostUp)
                },
                scope: Scope::human(),
                undelivered: false,
            };
            let packed = Packed::new(entry.clone(), None);
            assert_eq!(packed.host(), Some("gpu1"));
            assert_eq!(packed.unpack(), entry);
        }
    }
}
