//! Events: numbered once, told to those who asked.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::Now;
use super::registry::Viewer;
use crate::protocol::{Event, EventKind, Scope, SessionId};

/// Lifecycle events remembered for `fromSeq`.
const REMEMBERED: usize = 10_000;

/// Name of one subscription.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SubscriptionId(pub u64);

/// Name of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

/// What a client wants to know.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Who asks, and so what may be told.
    pub viewer: Viewer,
    /// Only these kinds; `None`: every lifecycle event.
    pub kinds: Option<HashSet<EventKind>>,
    /// Only these sessions.
    pub sessions: Option<HashSet<SessionId>>,
}

impl Filter {
    fn wants(&self, event: &Event, scope: &Scope) -> bool {
        self.viewer.sees(scope)
            && match &self.kinds {
                Some(kinds) => kinds.contains(&event.event),
                None => event.event.is_lifecycle(),
            }
            && match (&self.sessions, &event.session_id) {
                (Some(sessions), Some(id)) => sessions.contains(id),
                _ => true,
            }
    }
}

#[derive(Debug)]
struct Subscription {
    connection: ConnectionId,
    filter: Filter,
}

/// Numbers events and knows who wants them.
#[derive(Debug, Default)]
pub struct Bus {
    seq: u64,
    past: VecDeque<(Scope, Event)>,
    subscriptions: HashMap<SubscriptionId, Subscription>,
    last: u64,
}

impl Bus {
    /// Makes an event, numbers it if it is of the lifecycle, and says which
    /// connections are to be told, each once.
    pub fn publish(
        &mut self,
        kind: EventKind,
        scope: &Scope,
        session: &SessionId,
        data: Value,
        now: Now,
    ) -> (Event, Vec<ConnectionId>) {
        let seq = kind.is_lifecycle().then(|| {
            self.seq += 1;
            self.seq
        });
        let event = Event {
            event: kind,
            seq,
            at: Some(now.wall),
            session_id: Some(session.clone()),
            data,
        };
        let mut to: Vec<ConnectionId> = self
            .subscriptions
            .values()
            .filter(|subscription| subscription.filter.wants(&event, scope))
            .map(|subscription| subscription.connection)
            .collect();
        to.sort_unstable();
        to.dedup();
        if seq.is_some() {
            if self.past.len() == REMEMBERED {
                self.past.pop_front();
            }
            self.past.push_back((scope.clone(), event.clone()));
        }
        (event, to)
    }

    /// Whether anybody wants live events of this kind.
    pub fn has_listeners(&self, kind: EventKind) -> bool {
        self.subscriptions.values().any(|s| {
            s.filter
                .kinds
                .as_ref()
                .is_some_and(|kinds| kinds.contains(&kind))
        })
    }

    /// Adds a subscription; returns the past events from `from_seq` on.
    pub fn subscribe(
        &mut self,
        connection: ConnectionId,
        filter: Filter,
        from_seq: Option<u64>,
    ) -> (SubscriptionId, Vec<Event>) {
        let from = from_seq.unwrap_or(u64::MAX);
        let past = self
            .past
            .iter()
            .filter(|(scope, event)| event.seq >= Some(from) && filter.wants(event, scope))
            .map(|(_, event)| event.clone())
            .collect();
        self.last += 1;
        let id = SubscriptionId(self.last);
        self.subscriptions
            .insert(id, Subscription { connection, filter });
        (id, past)
    }

    /// Ends a subscription of this connection. False if it has none of that name.
    pub fn unsubscribe(&mut self, connection: ConnectionId, id: SubscriptionId) -> bool {
        let own = self
            .subscriptions
            .get(&id)
            .is_some_and(|s| s.connection == connection);
        if own {
            self.subscriptions.remove(&id);
        }
        own
    }

    /// A connection is gone, and its subscriptions with it.
    pub fn forget(&mut self, connection: ConnectionId) {
        self.subscriptions
            .retain(|_, subscription| subscription.connection != connection);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Role;

    fn filter(scope: &str, kinds: Option<&[EventKind]>) -> Filter {
        Filter {
            viewer: Viewer {
                role: Role::Agent,
                scope: Scope::named(scope).unwrap(),
            },
            kinds: kinds.map(|kinds| kinds.iter().copied().collect()),
            sessions: None,
        }
    }

    fn publish(bus: &mut Bus, kind: EventKind, scope: &str) -> Vec<ConnectionId> {
        let scope = Scope::named(scope).unwrap();
        bus.publish(
            kind,
            &scope,
            &SessionId::fresh(),
            Value::Null,
            Now::default(),
        )
        .1
    }

    #[test]
    fn a_scope_is_told_of_its_own_and_once_a_connection() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(1), filter("a", None), None);
        bus.subscribe(
            ConnectionId(1),
            filter("a", Some(&[EventKind::Exited])),
            None,
        );
        bus.subscribe(ConnectionId(2), filter("b", None), None);
        assert_eq!(publish(&mut bus, EventKind::Exited, "a"), [ConnectionId(1)]);
    }

    #[test]
    fn live_events_are_told_only_to_those_who_name_them() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(1), filter("a", None), None);
        assert!(!bus.has_listeners(EventKind::Output));
        let (id, _) = bus.subscribe(
            ConnectionId(2),
            filter("a", Some(&[EventKind::Output])),
            None,
        );
        assert_eq!(publish(&mut bus, EventKind::Output, "a"), [ConnectionId(2)]);
        assert!(!bus.unsubscribe(ConnectionId(1), id));
        assert!(bus.unsubscribe(ConnectionId(2), id));
        assert!(publish(&mut bus, EventKind::Output, "a").is_empty());
    }

    #[test]
    fn the_past_is_told_from_a_number_on() {
        let mut bus = Bus::default();
        publish(&mut bus, EventKind::Started, "a");
        publish(&mut bus, EventKind::Output, "a");
        publish(&mut bus, EventKind::Started, "b");
        publish(&mut bus, EventKind::Exited, "a");
        let (_, past) = bus.subscribe(ConnectionId(1), filter("a", None), Some(2));
        assert_eq!(past.iter().map(|e| e.seq).collect::<Vec<_>>(), [Some(3)]);
    }
}
