//! Numbers lifecycle events and selects the connections that receive them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Now;
use super::event_history::EventHistory;
use super::journal_note::Entry;
use super::packed::Packed;
use super::registry::Principal;
use crate::protocol::{Event, EventKind, Scope, SessionId};

/// Id of a subscription.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SubscriptionId(pub u64);

/// Id of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

/// Events that a client subscribes to.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The client, which determines the events it may see.
    pub viewer: Principal,
    /// The event kinds; `None` selects all lifecycle events.
    pub kinds: Option<HashSet<EventKind>>,
    /// The sessions; `None` selects all.
    pub sessions: Option<HashSet<SessionId>>,
    /// The hosts that the client may reach; `None` for all.
    pub hosts: Option<HashSet<Box<str>>>,
    /// Whether the events name the scope of their session.
    pub with_scope: bool,
}

impl Filter {
    fn wants(&self, event: &Facts<'_>, shared: &HashSet<SessionId>) -> bool {
        let is_shared = |id| shared.contains(id);
        let is_own = self.viewer.owns(event.scope) || event.session.is_some_and(is_shared);
        let reaches = match (&self.hosts, event.host) {
            (Some(hosts), Some(host)) => hosts.contains(host),
            _ => true,
        };
        // What is about a host itself concerns everybody who may reach it.
        let is_about_host = event.host.is_some() && event.session.is_none();
        reaches
            && (is_own || is_about_host)
            && match &self.kinds {
                Some(kinds) => kinds.contains(&event.kind),
                None => event.kind.is_lifecycle(),
            }
            && match (&self.sessions, event.session) {
                (Some(sessions), Some(id)) => sessions.contains(id),
                (Some(_), None) => is_about_host,
                (None, _) => true,
            }
    }

    fn wants_past(&self, past: &Packed, shared: &HashSet<SessionId>) -> bool {
        let facts = Facts {
            kind: past.kind,
            session: past.session.as_ref(),
            host: past.host(),
            scope: &past.scope,
        };
        self.wants(&facts, shared)
    }
}

/// What decides who gets an event.
struct Facts<'a> {
    kind: EventKind,
    session: Option<&'a SessionId>,
    host: Option<&'a str>,
    scope: &'a Scope,
}

#[derive(Debug)]
struct Subscription {
    connection: ConnectionId,
    filter: Filter,
}

/// An event that is ready to be sent.
#[derive(Debug)]
pub struct Published {
    /// The event and its scope. A lifecycle event has a number and must be written to the journal
    /// before it is sent.
    pub entry: Entry,
    /// The receiving connections, each listed once.
    pub to: Vec<Receiver>,
}

/// A connection that gets an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receiver {
    /// The connection.
    pub connection: ConnectionId,
    /// Whether the event names the scope of its session.
    pub with_scope: bool,
}

/// Numbers and stores events, and holds the subscriptions.
#[derive(Debug, Default)]
pub struct Bus {
    /// Past lifecycle events.
    pub past: EventHistory,
    subscriptions: HashMap<SubscriptionId, Subscription>,
    last: u64,
    /// Completions that are being delivered to their scope for the first time, with the receiving
    /// connection.
    promised: HashMap<u64, ConnectionId>,
    /// Sessions whose events agents of other scopes may also see.
    shared: HashSet<SessionId>,
}

impl Bus {
    /// Creates a bus that continues from `past`. Subscription ids start after `last`.
    pub fn new(past: EventHistory, last: u64) -> Self {
        Self {
            past,
            last,
            ..Self::default()
        }
    }

    /// Creates an event of a session of this machine, and publishes it.
    pub fn publish(
        &mut self,
        kind: EventKind,
        scope: &Scope,
        session: &SessionId,
        data: Value,
        now: Now,
    ) -> Published {
        let event = Event {
            at: Some(now.wall),
            session_id: Some(session.clone()),
            data,
            ..Event::of(kind)
        };
        self.pass_on(event, scope, now)
    }

    /// Numbers an event if it is a lifecycle event, and returns the connections to notify.
    pub fn pass_on(&mut self, mut event: Event, scope: &Scope, now: Now) -> Published {
        let kind = event.event;
        event.seq = kind.is_lifecycle().then(|| self.past.seq() + 1);
        let facts = Facts {
            kind,
            session: event.session_id.as_ref(),
            host: event.host.as_deref(),
            scope,
        };
        let wanted: Vec<&Subscription> = self
            .subscriptions
            .values()
            .filter(|subscription| subscription.filter.wants(&facts, &self.shared))
            .collect();
        let own = wanted.iter().any(|s| s.filter.viewer.scope == *scope);
        let receivers = wanted.iter().map(|s| Receiver {
            connection: s.connection,
            with_scope: s.filter.with_scope,
        });
        let mut to: Vec<Receiver> = receivers.collect();
        // One that wants the scope comes first, and stays.
        to.sort_unstable_by_key(|receiver| (receiver.connection, !receiver.with_scope));
        to.dedup_by_key(|receiver| receiver.connection);
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

    /// Sets whether agents of other scopes may see the events of a session, past ones included.
    pub fn set_shared(&mut self, session: &SessionId, shared: bool) {
        if shared {
            self.shared.insert(session.clone());
        } else {
            self.shared.remove(session);
        }
    }

    /// Whether any connection goes on looking at what happens on a host.
    pub fn is_watched(&self, host: &str) -> bool {
        let on_host = |id: &SessionId| id.host() == Some(host);
        self.subscriptions.values().any(|subscription| {
            let filter = &subscription.filter;
            let sessions = filter.sessions.as_ref();
            filter
                .hosts
                .as_ref()
                .is_none_or(|hosts| hosts.contains(host))
                && sessions.is_none_or(|ids| ids.iter().any(on_host))
        })
    }

    /// Whether any connection subscribes to live events of this kind.
    pub fn has_listeners(&self, kind: EventKind) -> bool {
        self.subscriptions.values().any(|s| {
            s.filter
                .kinds
                .as_ref()
                .is_some_and(|kinds| kinds.contains(&kind))
        })
    }

    /// The first `limit` events from number `from` on that match `filter`.
    pub fn replay(&self, filter: &Filter, from: u64, limit: usize) -> Vec<Entry> {
        let past = self.past.since(from);
        let wanted = past.filter(|entry| filter.wants_past(entry, &self.shared));
        wanted.take(limit).map(Packed::unpack).collect()
    }

    /// Returns the completions before number `before` that no client of the subscriber's own scope
    /// has received. They are reserved for this connection.
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

    /// Gives completions that are still reserved for a connection back to the next one.
    pub fn give_back(&mut self, connection: ConnectionId, seqs: &[u64]) {
        for seq in seqs {
            if self.promised.get(seq) == Some(&connection) {
                self.promised.remove(seq);
            }
        }
    }

    /// Records that `entries` were sent to a client of `scope`. Returns the numbers of those that
    /// were delivered to their own scope for the first time.
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

    /// Adds a subscription to events from now on.
    pub fn subscribe(&mut self, connection: ConnectionId, filter: Filter) -> SubscriptionId {
        self.last += 1;
        let id = SubscriptionId(self.last);
        self.subscriptions
            .insert(id, Subscription { connection, filter });
        id
    }

    /// Ends a subscription of this connection. Returns false if the connection has no such
    /// subscription.
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

    /// Removes a closed connection and its subscriptions. Completions reserved for it that were not
    /// sent become available to the next connection.
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
            hosts: None,
            with_scope: false,
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
            hosts: None,
            with_scope: false,
        }
    }

    fn publish(bus: &mut Bus, kind: EventKind, scope: &str) -> Vec<ConnectionId> {
        let scope = Scope::named(scope).unwrap();
        let (session, now) = (SessionId::fresh(), Now::default());
        let to = bus.publish(kind, &scope, &session, Value::Null, now).to;
        to.into_iter().map(|to| to.connection).collect()
    }

    fn seqs(entries: &[Entry]) -> Vec<u64> {
        entries.iter().map(Entry::seq).collect()
    }

    const ALL: u64 = u64::MAX;

    #[test]
    fn of_two_subscriptions_the_one_with_the_scope_counts() {
        let mut bus = Bus::default();
        for with_scope in [false, true, false] {
            let filter = Filter {
                with_scope,
                ..filter("a", None)
            };
            bus.subscribe(ConnectionId(1), filter);
        }
        let (scope, session) = (Scope::named("a").unwrap(), SessionId::fresh());
        let to = bus.publish(
            EventKind::Exited,
            &scope,
            &session,
            Value::Null,
            Now::default(),
        );
        let to: Vec<_> = to.to.iter().map(|to| to.with_scope).collect();
        assert_eq!(to, [true]);
    }

    #[test]
    fn a_scope_receives_its_own_events_once_per_connection() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(1), filter("a", None));
        bus.subscribe(ConnectionId(1), filter("a", Some(&[EventKind::Exited])));
        bus.subscribe(ConnectionId(2), filter("b", None));
        assert_eq!(publish(&mut bus, EventKind::Exited, "a"), [ConnectionId(1)]);
    }

    #[test]
    fn other_scopes_receive_events_of_a_session_while_it_is_shared() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(2), filter("b", None));
        let (a, id) = (Scope::named("a").unwrap(), SessionId::fresh());
        let told = |bus: &mut Bus| {
            let (kind, now) = (EventKind::Paused, Now::default());
            let to = bus.publish(kind, &a, &id, Value::Null, now).to;
            to.into_iter().map(|to| to.connection).collect::<Vec<_>>()
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
    fn live_events_are_sent_only_to_subscribers_that_name_them() {
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
    fn replay_returns_past_events_in_pages() {
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
    fn an_undelivered_completion_is_promised_once() {
        let mut bus = Bus::default();
        // The subscribers are a person, and an agent that asked for other events.
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
        // The connection closed before delivery, so the next connection gets the completions.
        bus.forget(ConnectionId(3));
        let owed = bus.promise(ConnectionId(5), &own, ALL);
        assert_eq!(seqs(&owed), [2]);
        assert_eq!(bus.deliver(&owed, &own.viewer.scope), [2]);
        bus.forget(ConnectionId(5));
        assert!(bus.promise(ConnectionId(6), &own, ALL).is_empty());
    }

    #[test]
    fn what_is_given_back_is_promised_again() {
        let (mut bus, own) = (Bus::default(), filter("a", None));
        publish(&mut bus, EventKind::Exited, "a");
        publish(&mut bus, EventKind::Exited, "a");
        assert_eq!(seqs(&bus.promise(ConnectionId(1), &own, ALL)), [1, 2]);
        // Another connection has nothing to give back.
        bus.give_back(ConnectionId(2), &[1, 2]);
        assert!(bus.promise(ConnectionId(2), &own, ALL).is_empty());
        bus.give_back(ConnectionId(1), &[2]);
        assert_eq!(seqs(&bus.promise(ConnectionId(2), &own, ALL)), [2]);
    }

    #[test]
    fn a_completion_that_its_own_scope_received_is_delivered() {
        let mut bus = Bus::default();
        bus.subscribe(ConnectionId(1), filter("a", None));
        publish(&mut bus, EventKind::Exited, "a");
        bus.forget(ConnectionId(1));
        let own = filter("a", None);
        assert!(bus.promise(ConnectionId(2), &own, ALL).is_empty());
        publish(&mut bus, EventKind::Exited, "a");
        assert!(bus.promise(ConnectionId(2), &own, 2).is_empty());
        let read = bus.replay(&own, 1, 9);
        // Delivery to another scope leaves it undelivered.
        assert!(bus.deliver(&read, &Scope::human()).is_empty());
        assert_eq!(bus.deliver(&read, &own.viewer.scope), [2]);
        assert!(bus.deliver(&read, &own.viewer.scope).is_empty());
    }
}
