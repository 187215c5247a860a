//! Events: numbered once, told to those who asked.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Now;
use super::event_history::{Entry, EventHistory};
use super::packed::Packed;
use super::registry::Principal;
use crate::protocol::{Event, EventKind, Scope, SessionId};

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
    pub viewer: Principal,
    /// Only these kinds; `None`: every lifecycle event.
    pub kinds: Option<HashSet<EventKind>>,
    /// Only these sessions.
    pub sessions: Option<HashSet<SessionId>>,
}

impl Filter {
    fn wants(
        &self,
        kind: EventKind,
        session: Option<&SessionId>,
        scope: &Scope,
        shared: &HashSet<SessionId>,
    ) -> bool {
        let is_shared = |id| shared.contains(id);
        (self.viewer.owns(scope) || session.is_some_and(is_shared))
            && match &self.kinds {
                Some(kinds) => kinds.contains(&kind),
                None => kind.is_lifecycle(),
            }
            && match (&self.sessions, session) {
                (Some(sessions), Some(id)) => sessions.contains(id),
                _ => true,
            }
    }

    fn wants_past(&self, past: &Packed, shared: &HashSet<SessionId>) -> bool {
        self.wants(past.kind, past.session.as_ref(), &past.scope, shared)
    }
}

#[derive(Debug)]
struct Subscription {
    connection: ConnectionId,
    filter: Filter,
}

/// An event that is about to be told.
#[derive(Debug)]
pub struct Published {
    /// The event and whose it is. One of the lifecycle has a number, and is to
    /// be written down before it is told.
    pub entry: Entry,
    /// Which connections to tell, each once.
    pub to: Vec<ConnectionId>,
}

/// Numbers events, remembers them, and knows who wants them.
#[derive(Debug, Default)]
pub struct Bus {
    /// What has happened.
    pub past: EventHistory,
    subscriptions: HashMap<SubscriptionId, Subscription>,
    last: u64,
    /// Completions on their way to somebody for the first time.
    promised: HashMap<u64, ConnectionId>,
    /// Sessions of which agents of other scopes may be told, too.
    shared: HashSet<SessionId>,
}

impl Bus {
    /// A bus that goes on from `past`. Subscriptions get numbers beyond `last`.
    pub fn new(past: EventHistory, last: u64) -> Self {
        Self {
            past,
            last,
            ..Self::default()
        }
    }

    /// Makes an event, numbers it if it is of the lifecycle, and says which
    /// connections are to be told.
    pub fn publish(
        &mut self,
        kind: EventKind,
        scope: &Scope,
        session: &SessionId,
        data: Value,
        now: Now,
    ) -> Published {
        let event = Event {
            event: kind,
            seq: kind.is_lifecycle().then(|| self.past.seq() + 1),
            at: Some(now.wall),
            session_id: Some(session.clone()),
            data,
        };
        let wanted: Vec<&Subscription> = self
            .subscriptions
            .values()
            .filter(|subscription| {
                let filter = &subscription.filter;
                filter.wants(kind, Some(session), scope, &self.shared)
            })
            .collect();
        let own = wanted.iter().any(|s| s.filter.viewer.scope == *scope);
        let mut to: Vec<ConnectionId> = wanted.iter().map(|s| s.connection).collect();
        to.sort_unstable();
        to.dedup();
        let entry = Entry {
            event,
            scope: scope.clone(),
            undelivered: matches!(kind, EventKind::Exited | EventKind::Lost) && !own,
        };
        if kind.is_lifecycle() {
            self.past.forget_old(now);
            self.past.add(entry.clone());
        }
        Published { entry, to }
    }

    /// Whether agents of other scopes may be told of a session, its past included.
    pub fn set_shared(&mut self, session: &SessionId, shared: bool) {
        if shared {
            self.shared.insert(session.clone());
        } else {
            self.shared.remove(session);
        }
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

    /// The first events from number `from` on that `filter` wants.
    pub fn replay(&self, filter: &Filter, from: u64, limit: usize) -> Vec<Entry> {
        let past = self.past.since(from);
        let wanted = past.filter(|entry| filter.wants_past(entry, &self.shared));
        wanted.take(limit).map(Packed::unpack).collect()
    }

    /// The completions before number `before` that nobody of the subscriber's
    /// own scope has been told; they are promised to this connection.
    pub fn promise(
        &mut self,
        connection: ConnectionId,
        filter: &Filter,
        before: u64,
    ) -> Vec<Entry> {
        let (promised, shared) = (&mut self.promised, &self.shared);
        let owed = self.past.since(0).filter(|entry| {
            entry.undelivered
                && entry.seq < before
                && *entry.scope == filter.viewer.scope
                && filter.wants_past(entry, shared)
                && !promised.contains_key(&entry.seq)
        });
        let owed: Vec<Entry> = owed.map(Packed::unpack).collect();
        promised.extend(owed.iter().map(|entry| (entry.seq(), connection)));
        owed
    }

    /// Those of `entries` that viewers of this scope are told for the first time
    /// have been told; returns their numbers.
    pub fn deliver(&mut self, entries: &[Entry], scope: &Scope) -> Vec<u64> {
        let owed = entries
            .iter()
            .filter(|entry| entry.undelivered && entry.scope == *scope);
        let owed: Vec<u64> = owed.map(Entry::seq).collect();
        for seq in &owed {
            self.promised.remove(seq);
        }
        self.past.deliver(&owed)
    }

    /// Adds a subscription to what happens from now on.
    pub fn subscribe(&mut self, connection: ConnectionId, filter: Filter) -> SubscriptionId {
        self.last += 1;
        let id = SubscriptionId(self.last);
        self.subscriptions
            .insert(id, Subscription { connection, filter });
        id
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

    /// A connection is gone, and its subscriptions with it. What was promised to
    /// it and not told is for the next one.
    pub fn forget(&mut self, connection: ConnectionId) {
        self.subscriptions
            .retain(|_, subscription| subscription.connection != connection);
        self.promised.retain(|_, to| *to != connection);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Role;

    fn filter(scope: &str, kinds: Option<&[EventKind]>) -> Filter {
        Filter {
            viewer: Principal {
                role: Role::Agent,
                scope: Scope::named(scope).unwrap(),
            },
            kinds: kinds.map(|kinds| kinds.iter().copied().collect()),
            sessions: None,
        }
    }

    fn person() -> Filter {
        Filter {
            viewer: Principal {
                role: Role::Human,
                scope: Scope::human(),
            },
            kinds: None,
            sessions: None,
        }
    }

    fn publish(bus: &mut Bus, kind: EventKind, scope: &str) -> Vec<ConnectionId> {
        let scope = Scope::named(scope).unwrap();
        let (session, now) = (SessionId::fresh(), Now::default());
        bus.publish(kind, &scope, &session, Value::Null, now).to
    }

    fn seqs(entries: &[Entry]) -> Vec<u64> {
        entries.iter().map(Entry::seq).collect()
    }

    const ALL: u64 = u64::MAX;

    #[test]
    fn a_scope_is_told_of_its_own_and_once_a_connection() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(1), filter("a", None));
        bus.subscribe(ConnectionId(1), filter("a", Some(&[EventKind::Exited])));
        bus.subscribe(ConnectionId(2), filter("b", None));
        assert_eq!(publish(&mut bus, EventKind::Exited, "a"), [ConnectionId(1)]);
    }

    #[test]
    fn of_a_shared_session_other_scopes_are_told_its_past_included_while_it_is() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(2), filter("b", None));
        let (a, id) = (Scope::named("a").unwrap(), SessionId::fresh());
        let told = |bus: &mut Bus| {
            let (kind, now) = (EventKind::Paused, Now::default());
            bus.publish(kind, &a, &id, Value::Null, now).to
        };
        assert!(told(&mut bus).is_empty());
        bus.set_shared(&id, true);
        assert_eq!(told(&mut bus), [ConnectionId(2)]);
        assert_eq!(seqs(&bus.replay(&filter("b", None), 0, 9)), [1, 2]);
        bus.set_shared(&id, false);
        assert!(told(&mut bus).is_empty());
        assert!(bus.replay(&filter("b", None), 0, 9).is_empty());
    }

    #[test]
    fn live_events_are_told_only_to_those_who_name_them() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(1), filter("a", None));
        assert!(!bus.has_listeners(EventKind::Output));
        let id = bus.subscribe(ConnectionId(2), filter("a", Some(&[EventKind::Output])));
        assert_eq!(publish(&mut bus, EventKind::Output, "a"), [ConnectionId(2)]);
        assert!(!bus.unsubscribe(ConnectionId(1), id));
        assert!(bus.unsubscribe(ConnectionId(2), id));
        assert!(publish(&mut bus, EventKind::Output, "a").is_empty());
    }

    #[test]
    fn the_past_is_told_from_a_number_on_in_pieces() {
        let mut bus = Bus::default();
        publish(&mut bus, EventKind::Started, "a");
        publish(&mut bus, EventKind::Output, "a");
        publish(&mut bus, EventKind::Started, "b");
        publish(&mut bus, EventKind::Exited, "a");
        publish(&mut bus, EventKind::Removed, "a");
        let own = filter("a", None);
        assert_eq!(seqs(&bus.replay(&own, 2, 1)), [3]);
        assert_eq!(seqs(&bus.replay(&own, 4, 9)), [4]);
        assert_eq!(seqs(&bus.replay(&person(), 2, 9)), [2, 3, 4]);
    }

    #[test]
    fn a_completion_that_nobody_of_its_scope_heard_is_promised_once() {
        let mut bus = Bus::default();
        // A person looks on, and an agent that asked for something else.
        bus.subscribe(ConnectionId(1), person());
        bus.subscribe(ConnectionId(2), filter("a", Some(&[EventKind::Started])));
        publish(&mut bus, EventKind::Started, "a");
        publish(&mut bus, EventKind::Exited, "a");
        publish(&mut bus, EventKind::Lost, "a");
        publish(&mut bus, EventKind::Exited, "b");
        assert!(bus.promise(ConnectionId(3), &person(), ALL).is_empty());
        let exits = filter("a", Some(&[EventKind::Exited]));
        let owed = bus.promise(ConnectionId(3), &exits, ALL);
        assert_eq!(seqs(&owed), [2]);
        let own = filter("a", None);
        assert_eq!(seqs(&bus.promise(ConnectionId(4), &own, ALL)), [3]);
        // Gone before it was told: the next one is.
        bus.forget(ConnectionId(3));
        let owed = bus.promise(ConnectionId(5), &own, ALL);
        assert_eq!(seqs(&owed), [2]);
        assert_eq!(bus.deliver(&owed, &own.viewer.scope), [2]);
        bus.forget(ConnectionId(5));
        assert!(bus.promise(ConnectionId(6), &own, ALL).is_empty());
    }

    #[test]
    fn a_completion_that_its_own_scope_heard_is_told() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(1), filter("a", None));
        publish(&mut bus, EventKind::Exited, "a");
        bus.forget(ConnectionId(1));
        let own = filter("a", None);
        assert!(bus.promise(ConnectionId(2), &own, ALL).is_empty());
        publish(&mut bus, EventKind::Exited, "a");
        assert!(bus.promise(ConnectionId(2), &own, 2).is_empty());
        let read = bus.replay(&own, 1, 9);
        // Of another scope's reading it stays unheard.
        assert!(bus.deliver(&read, &Scope::human()).is_empty());
        assert_eq!(bus.deliver(&read, &own.viewer.scope), [2]);
        assert!(bus.deliver(&read, &own.viewer.scope).is_empty());
    }
}
