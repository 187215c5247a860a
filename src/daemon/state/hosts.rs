//! What follows from what happens on other hosts.

use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use serde_json::{Value, json};

use super::State;
use crate::daemon::clock::now;
use crate::daemon::hosts::channel::Channel;
use crate::daemon::hosts::{Attempt, Entry, names};
use crate::engine::bus::{ConnectionId, SubscriptionId};
use crate::link::Link;
use crate::protocol::{Error, Event, EventKind, Scope, SessionId};

impl State {
    /// Reads the hosts in the configuration file again if it has changed.
    pub(crate) fn refresh_hosts(&mut self) {
        let Some(gone) = self.hosts.refresh() else {
            return;
        };
        for (name, entry) in gone {
            let sessions: Vec<SessionId> = entry.mirror.ids().cloned().collect();
            self.host_gone(&name, &sessions, Value::Null);
        }
        self.end_held_hosts();
    }

    /// Publishes that a host is not there any more, and none of these sessions on it.
    fn host_gone(&mut self, name: &str, sessions: &[SessionId], error: Value) {
        for id in sessions {
            self.events.bus.set_shared(id, false);
        }
        self.about_host(EventKind::HostDown, name, json!({ "error": error }));
    }

    /// Gives up the hosts whose sessions have ended: nodes that were held by a job of a batch system.
    pub(crate) fn end_held_hosts(&mut self) {
        for (name, session) in self.hosts.held() {
            if self.has_ended(&session)
                && let Some(entry) = self.hosts.get_mut(&name)
                && !entry.is_over()
            {
                let was_up = entry.link.is_up();
                let sessions = entry.give_up();
                let error = json!(entry.fault());
                self.save_host(&name);
                if was_up || !sessions.is_empty() {
                    self.host_gone(&name, &sessions, error);
                }
            }
        }
    }

    /// Whether a session of this machine or of a host has ended, as far as it is known.
    fn has_ended(&self, id: &SessionId) -> bool {
        match id.host() {
            None => {
                // One that is not known here was submitted by another machine that sees the same configuration.
                let session = self.sessions.get(id);
                session.is_some_and(|session| session.life.status().is_finished())
            }
            Some(host) => {
                let news = self.hosts.get(host).and_then(|host| host.mirror.news(id));
                news.is_some_and(|(status, _)| status.is_finished())
            }
        }
    }

    /// Notes that the link to a host is open. Returns false if the link is not wanted any more.
    pub(crate) fn host_opened(
        &mut self,
        attempt: &Attempt,
        link: &Rc<Link>,
        main: &Rc<Channel>,
        version: &str,
    ) -> bool {
        let name = &attempt.host.name;
        let was_up = self.hosts.get(name).is_some_and(|entry| entry.link.is_up());
        if !self.hosts.opened(attempt, link, main, version) {
            return false;
        }
        if !was_up {
            self.about_host(EventKind::HostUp, name, json!({ "version": version }));
        }
        true
    }

    /// Notes that the link to a host has ended, or could not be opened.
    pub(crate) fn host_failed(&mut self, attempt: &Attempt, error: Error) {
        let name = &attempt.host.name;
        let chance = RandomState::new().hash_one(now().boot);
        tracing::info!(host = name, %error, "not connected");
        let data = json!({ "error": error });
        if self.hosts.failed(attempt, error, chance) {
            self.about_host(EventKind::HostDown, name, data);
        }
        self.save_host(name);
        // The job that holds it may have ended, which its batch system says.
        let holder = self.hosts.get(name).and_then(Entry::holder);
        if let Some(holder) = holder {
            self.batch_ending(&holder);
        }
    }

    /// Ends the connection to a host, because a person says so.
    pub(crate) fn disconnect_host(&mut self, name: &str) {
        let Some(entry) = self.hosts.get_mut(name) else {
            return;
        };
        let was_up = entry.link.is_up();
        entry.disconnect();
        if was_up {
            self.about_host(EventKind::HostDown, name, json!({ "error": null }));
        }
        self.save_host(name);
    }

    /// Publishes that events of a host are missing: those after its number `from`, up to `to`.
    pub(crate) fn host_gap(&mut self, name: &str, from: u64, to: Option<u64>) {
        let data = json!({ "afterHostSeq": from, "upToHostSeq": to });
        self.about_host(EventKind::Gap, name, data);
    }

    fn about_host(&mut self, kind: EventKind, name: &str, mut data: Value) {
        if self.hosts.get(name).is_some_and(Entry::is_node) {
            return;
        }
        data["host"] = json!(name);
        let event = Event {
            at: Some(now().wall),
            host: Some(name.into()),
            data,
            ..Event::of(kind)
        };
        self.events.pass_on(event, &Scope::human());
    }

    /// Takes over an event of a host: once, in the host's order. Returns the session whose record has changed with it.
    pub(crate) fn host_event(&mut self, name: &str, event: Event) -> Option<SessionId> {
        let Event {
            event: kind,
            seq,
            at,
            session_id,
            scope,
            mut data,
            ..
        } = event;
        // Hosts of that host are not reached through it.
        let id = session_id?.at(name)?;
        if self
            .hosts
            .get(name)
            .is_some_and(|entry| entry.is_held_by(&id))
        {
            return None;
        }
        if kind.is_lifecycle() && seq <= self.events.bus.past.host_seq(name) {
            return None;
        }
        names::from_host(&mut data, name);
        let entry = self.hosts.get_mut(name)?;
        // Older daemons do not say the scope.
        let scope = scope.or_else(|| entry.mirror.scope(&id).cloned());
        let scope = scope.unwrap_or_else(Scope::human);
        if kind == EventKind::Removed {
            entry.mirror.forget(&id);
            self.events.bus.set_shared(&id, false);
        }
        let event = Event {
            at,
            session_id: Some(id.clone()),
            host: Some(name.into()),
            host_seq: seq,
            data,
            ..Event::of(kind)
        };
        self.events.pass_on(event, &scope);
        if kind == EventKind::Placed {
            self.hosts.placed(&id);
        }
        let changes = kind.is_lifecycle()
            || matches!(
                kind,
                EventKind::Retrying | EventKind::Phase | EventKind::Changed
            );
        (changes && kind != EventKind::Removed).then_some(id)
    }

    /// Takes over all records of a host.
    pub(crate) fn host_records(&mut self, name: &str, mut records: Vec<Value>) {
        for record in &mut records {
            names::from_host(record, name);
        }
        let shared: Vec<SessionId> = records.iter().filter_map(shared).collect();
        if let Some(entry) = self.hosts.get_mut(name) {
            let before: Vec<SessionId> = entry.mirror.ids().cloned().collect();
            entry.mirror.replace(records, now());
            for id in before {
                self.events.bus.set_shared(&id, false);
            }
        }
        for id in shared {
            self.events.bus.set_shared(&id, true);
        }
        self.save_host(name);
    }

    /// Takes over the record of one session of a host.
    pub(crate) fn host_record(&mut self, name: &str, mut record: Value) {
        names::from_host(&mut record, name);
        if let Some(entry) = self.hosts.get_mut(name)
            && let Some((id, is_shared)) = entry.mirror.take(record, now())
        {
            self.events.bus.set_shared(&id, is_shared);
            // It may have held a node.
            self.end_held_hosts();
        }
    }

    /// Saves what is known of a host's sessions.
    pub(crate) fn save_host(&mut self, name: &str) {
        if let Err(error) = self.hosts.save(name) {
            tracing::warn!(host = name, %error, "what is known of its sessions is not saved");
        }
    }

    /// The links to open now, and the time at which the next one is due.
    pub(crate) fn due_hosts(&mut self) -> (Vec<Attempt>, Option<u64>) {
        let bus = &self.events.bus;
        self.hosts.due(|name| bus.is_watched(name), now())
    }

    /// Ends a subscription of a connection. Returns false if it has none of this number.
    pub(crate) fn unsubscribe(&mut self, connection: ConnectionId, id: SubscriptionId) -> bool {
        let is_there = self.events.bus.unsubscribe(connection, id);
        if is_there {
            self.hosts.interest_changed();
        }
        is_there
    }
}

/// The id of a session that agents of other scopes may see.
fn shared(record: &Value) -> Option<SessionId> {
    let share = record.get("share")?.as_str()?;
    let id = record.get("sessionId")?.as_str()?;
    (share != "none")
        .then(|| SessionId::parse_any(id))
        .flatten()
}
