//! Events: written to the journal first, then sent to the subscribers.
//!
//! A lifecycle event is in the journal before any client gets it, and before the session's own record is saved.
//! A daemon that dies between the two leaves an event that was sent and a record that does not reflect it;
//! [`takeover`](super::takeover) compares both.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;
use tokio::sync::Notify;

use crate::daemon::clock::now;
use crate::daemon::storage::journal::Journal;
use crate::daemon::transport::outbox::Outbox;
use crate::engine::bus::{Bus, ConnectionId, Published};
use crate::engine::journal_note::{Entry, Note};
use crate::protocol::{Event, EventKind, Scope, SessionId};
use crate::sys::paths::Home;

/// The event bus, its journal, and the connections that events go to.
pub(crate) struct Events {
    pub(crate) bus: Bus,
    journal: Journal,
    happened: Rc<Notify>,
    outboxes: HashMap<ConnectionId, Rc<Outbox>>,
    last_connection: u64,
}

impl Events {
    /// Reads the journal, and the lines of it that the disk has refused an earlier daemon. `started` is the time at which
    /// this daemon started, in boot-time milliseconds.
    pub(crate) fn open(home: &Home, refused: Option<Vec<u8>>, started: u64) -> Self {
        let (journal, past) = Journal::open(home.journal(), refused);
        Self {
            // Subscription numbers start from the clock, so that no daemon reuses a number of an earlier one.
            // No daemon makes a thousand subscriptions in a millisecond.
            bus: Bus::new(past, started * 1000),
            journal,
            happened: Rc::default(),
            outboxes: HashMap::new(),
            last_connection: 0,
        }
    }

    /// Registers a connection, and returns its number.
    pub(crate) fn add_connection(&mut self, outbox: Rc<Outbox>) -> ConnectionId {
        self.last_connection += 1;
        let id = ConnectionId(self.last_connection);
        self.outboxes.insert(id, outbox);
        id
    }

    /// Removes a connection and its subscriptions.
    pub(crate) fn remove_connection(&mut self, id: ConnectionId) {
        self.bus.forget(id);
        self.outboxes.remove(&id);
    }

    /// Number of connected clients.
    pub(crate) fn connections(&self) -> usize {
        self.outboxes.len()
    }

    /// Notified after each lifecycle event.
    pub(crate) fn happened(&self) -> Rc<Notify> {
        self.happened.clone()
    }

    /// Whether any subscription wants events of this kind.
    pub(crate) fn has_listeners(&self, kind: EventKind) -> bool {
        self.bus.has_listeners(kind)
    }

    /// Sends an event to its subscribers. A lifecycle event is written to the journal first.
    pub(crate) fn publish(&mut self, kind: EventKind, scope: &Scope, id: &SessionId, data: Value) {
        let published = self.bus.publish(kind, scope, id, data, now());
        self.send(published);
    }

    /// Sends an event of another host, or about one, to its subscribers.
    pub(crate) fn pass_on(&mut self, event: Event, scope: &Scope) {
        let published = self.bus.pass_on(event, scope, now());
        self.send(published);
    }

    /// Notes that the events of a host up to one of its own numbers are not to be published any more.
    pub(crate) fn skip_to(&mut self, host: &str, host_seq: u64) {
        let note = self.bus.past.set_host_seq(host, host_seq);
        self.write(&note);
    }

    fn send(&mut self, Published { entry, to }: Published) {
        if entry.event.event.is_lifecycle() {
            self.write(&Note::Entry(entry.clone()));
            self.happened.notify_waiters();
        }
        for receiver in to {
            if let Some(outbox) = self.outboxes.get(&receiver.connection) {
                if receiver.with_scope {
                    outbox.push_event(&entry.with_scope())
                } else {
                    outbox.push_event(&entry.event)
                }
            }
        }
    }

    /// Notes that clients of `scope` have received these events.
    pub(crate) fn delivered(&mut self, entries: &[Entry], scope: &Scope) {
        let delivered = self.bus.deliver(entries, scope);
        if !delivered.is_empty() {
            self.write(&Note::Delivered { delivered });
        }
    }

    /// Notes that a scope has acknowledged the events up to `seq`.
    pub(crate) fn acknowledge(&mut self, scope: &Scope, seq: u64) {
        if let Some(ack) = self.bus.past.acknowledge(scope, seq) {
            let scope = scope.clone();
            self.write(&Note::Ack { ack, scope });
        }
    }

    /// The lines that are missing in the journal, if others are than at the last call.
    pub(crate) fn take_refused(&mut self) -> Option<&[u8]> {
        self.journal.take_refused()
    }

    fn write(&mut self, note: &Note) {
        self.journal.write(note, &self.bus.past);
    }
}
