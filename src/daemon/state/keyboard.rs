//! People at the keyboards of sessions: what their typing means to agents.
//!
//! The rules are in the engine (`lease`); here the clock is set for them and
//! what comes of them is told. A job of people that no agent may see is held
//! against nobody, so nothing is told of it.

use serde_json::json;

use super::State;
use crate::daemon::clock::now;
use crate::engine::bus::ConnectionId;
use crate::engine::lease::News;
use crate::engine::registry::Principal;
use crate::protocol::record::{HeldBy, Share};
use crate::protocol::{Error, EventKind, Role, Scope, SessionId};

impl State {
    /// Whether `viewer` may type now. A person may, and holds the session from
    /// now on; an agent may not while a person does.
    pub(crate) fn take_keyboard(
        &mut self,
        viewer: &Principal,
        id: &SessionId,
    ) -> Result<(), Error> {
        if viewer.role == Role::Human {
            self.person_typed(id, 0, false);
            return Ok(());
        }
        let held = self.sessions.get(id).and_then(|s| s.lease.until(now()));
        match held {
            Some(until) => Err(Error::input_held(id, &HeldBy::person(until))),
            None => Ok(()),
        }
    }

    /// A person has typed so many bytes, with which a line, say, is `finished`.
    pub(crate) fn person_typed(&mut self, id: &SessionId, bytes: usize, finished: bool) {
        // A hold that is over by now is told before the next one.
        self.look_at_lease(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let is_new = session.lease.typed(bytes, now());
        if is_new {
            self.tell_lease(id, News::Held);
        }
        if bytes > 0 || finished {
            self.typed_for_asks(id, finished);
        }
        self.arm(id);
    }

    /// A person's connection takes the keyboard until it gives it back.
    pub(crate) fn hold_keyboard(&mut self, id: &SessionId, by: ConnectionId) {
        self.look_at_lease(id);
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.lease.pin(by, now())) {
            self.tell_lease(id, News::Held);
        }
    }

    /// A connection gives the keyboard back.
    pub(crate) fn let_go(&mut self, id: &SessionId, by: ConnectionId) {
        let session = self.sessions.get_mut(id);
        let news = session.map(|session| session.lease.unpin(by, now()));
        for news in news.into_iter().flatten() {
            self.tell_lease(id, news);
        }
        self.arm(id);
    }

    /// A connection is gone, and with it what it held.
    pub(crate) fn let_go_of_all(&mut self, by: ConnectionId) {
        let held = self.sessions.iter().filter(|s| s.lease.is_pinned_by(by));
        let held: Vec<SessionId> = held.map(|session| session.id.clone()).collect();
        for id in held {
            self.let_go(&id, by);
        }
    }

    /// An agent has typed: told to those who want to know, once a second at most.
    pub(crate) fn agent_typed(&mut self, id: &SessionId, by: &Scope) {
        if !self.events.has_listeners(EventKind::AgentInput) {
            return;
        }
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.lease.agent_typed(now())) {
            self.publish(EventKind::AgentInput, id, json!({ "by": by }));
        }
    }

    /// Tells what is due about a person's hold.
    pub(crate) fn look_at_lease(&mut self, id: &SessionId) {
        let session = self.sessions.get_mut(id);
        let news = session.map(|session| session.lease.look(now()));
        for news in news.into_iter().flatten() {
            self.tell_lease(id, news);
        }
        self.arm(id);
    }

    /// Nobody types into a session that is over.
    pub(crate) fn release_keyboard(&mut self, id: &SessionId) {
        let session = self.sessions.get_mut(id);
        let news = session.map(|session| session.lease.release());
        for news in news.into_iter().flatten() {
            self.tell_lease(id, news);
        }
    }

    fn tell_lease(&mut self, id: &SessionId, news: News) {
        if news == News::Released {
            self.settle_typed_asks(id);
        }
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        if session.scope.is_human() && session.share == Share::None {
            return;
        }
        let held = session.lease.until(now()).map(HeldBy::person);
        let (kind, data) = match news {
            News::Held => (EventKind::Held, json!(held)),
            News::Typed(bytes) => (EventKind::HumanInput, json!({ "bytes": bytes })),
            News::Released => (EventKind::Released, json!({})),
        };
        self.publish(kind, id, data);
    }
}
