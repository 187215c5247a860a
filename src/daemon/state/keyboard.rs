//! What was typed into a session, and leases: what a person's typing means for agents.
//!
//! The rules are in the engine (`lease`). This module sets the timers and publishes the events. A job of a
//! person that no agent may see has no lease events, because no agent is refused.

use serde_json::json;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::sessions::input::Typed;
use crate::daemon::storage::input_log::Entry;
use crate::engine::bus::ConnectionId;
use crate::engine::lease::{Lease, LeaseReport};
use crate::engine::registry::Principal;
use crate::protocol::record::{HeldBy, Share};
use crate::protocol::{Error, EventKind, Role, Scope, SessionId};

impl State {
    /// Checks whether `principal` may type now. A person always may, and holds the session from then on. An
    /// agent is refused while a person holds the session.
    pub(crate) fn take_keyboard(
        &mut self,
        principal: &Principal,
        id: &SessionId,
    ) -> Result<(), Error> {
        if principal.role == Role::Human {
            self.person_typed(id, 0, false);
            return Ok(());
        }
        let now = now();
        match self.sessions.get(id).and_then(|s| s.lease.until(now)) {
            Some(until) => {
                let ms = until.millis().saturating_sub(now.wall.millis());
                let ms = u64::try_from(ms).unwrap_or_default();
                Err(Error::input_held(id, &HeldBy::person(until), ms))
            }
            None => Ok(()),
        }
    }

    /// Writes what was typed into a session to its input log, and publishes it.
    pub(crate) fn record_typed(&mut self, id: &SessionId, typed: Vec<Typed>) {
        for typed in typed {
            self.log_typed(id, &typed);
            match typed.by.role {
                Role::Agent => self.agent_typed(id, &typed.by.scope),
                Role::Human => self.person_typed(id, typed.bytes, typed.finishes),
            }
        }
    }

    /// Writes what was typed into a session to its input log.
    pub(crate) fn log_typed(&mut self, id: &SessionId, typed: &Typed) {
        let entry = Entry {
            at: typed.at,
            by: typed.by.scope.clone(),
            bytes: typed.bytes,
            text: typed.text.clone(),
        };
        let dir = self.sessions.store.dir(id);
        if let Err(error) = self.input_logs.append(&dir, &entry) {
            tracing::warn!(session = %id, %error, "the input log cannot be written");
        }
    }

    /// Notes that a person has typed `bytes` bytes. `finished` says whether they complete an answer, for
    /// example a line.
    pub(crate) fn person_typed(&mut self, id: &SessionId, bytes: usize, finished: bool) {
        // Publish the end of an expired hold before the next one begins.
        self.report_lease(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let is_new = session.lease.typed(bytes, now());
        if is_new {
            self.tell_lease(id, LeaseReport::Held);
        }
        if bytes > 0 || finished {
            self.typed_for_asks(id, finished);
        }
        self.arm(id);
    }

    /// Gives the keyboard to a person's connection until it is released.
    pub(crate) fn hold_keyboard(&mut self, id: &SessionId, by: ConnectionId) {
        self.report_lease(id);
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.lease.pin(by, now())) {
            self.tell_lease(id, LeaseReport::Held);
        }
    }

    /// Gives back the keyboard that a connection holds: agents may type at once.
    pub(crate) fn give_back(&mut self, id: &SessionId, by: ConnectionId) {
        self.change_lease(id, |lease| lease.give_back(by));
    }

    fn change_lease(
        &mut self,
        id: &SessionId,
        change: impl FnOnce(&mut Lease) -> Vec<LeaseReport>,
    ) {
        let session = self.sessions.get_mut(id);
        let news = session.map(|session| change(&mut session.lease));
        for news in news.into_iter().flatten() {
            self.tell_lease(id, news);
        }
        self.arm(id);
    }

    /// Releases all keyboards that a connection holds, because it is closed.
    pub(crate) fn let_go_of_all(&mut self, by: ConnectionId) {
        let held = self.sessions.iter().filter(|s| s.lease.is_pinned_by(by));
        let held: Vec<SessionId> = held.map(|session| session.id.clone()).collect();
        for id in held {
            self.change_lease(&id, |lease| lease.unpin(by, now()));
        }
    }

    /// Notes that an agent has typed. Publishes this to subscribers, at most once a second per session.
    pub(crate) fn agent_typed(&mut self, id: &SessionId, by: &Scope) {
        if !self.events.has_listeners(EventKind::AgentInput) {
            return;
        }
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.lease.agent_typed(now())) {
            self.publish(EventKind::AgentInput, id, json!({ "by": by }));
        }
    }

    /// Publishes the lease events of a session that are due.
    pub(crate) fn report_lease(&mut self, id: &SessionId) {
        let session = self.sessions.get_mut(id);
        let news = session.map(|session| session.lease.reports_due(now()));
        for news in news.into_iter().flatten() {
            self.tell_lease(id, news);
        }
        self.arm(id);
    }

    /// Ends the lease of a session that has ended.
    pub(crate) fn release_keyboard(&mut self, id: &SessionId) {
        let session = self.sessions.get_mut(id);
        let news = session.map(|session| session.lease.release());
        for news in news.into_iter().flatten() {
            self.tell_lease(id, news);
        }
    }

    fn tell_lease(&mut self, id: &SessionId, news: LeaseReport) {
        if news == LeaseReport::Released {
            self.settle_typed_asks(id);
            if let Some(input) = self.sessions.io(id).and_then(|io| io.input.as_ref()) {
                input.let_go();
            }
        }
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        if session.scope.is_human() && session.share == Share::None {
            return;
        }
        let held = session.lease.until(now()).map(HeldBy::person);
        let (kind, data) = match news {
            LeaseReport::Held => (EventKind::Held, json!(held)),
            LeaseReport::Typed(bytes) => (EventKind::HumanInput, json!({ "bytes": bytes })),
            LeaseReport::Released => (EventKind::Released, json!({})),
        };
        self.publish(kind, id, data);
    }
}
