//! Telling what happens: written down first, then told.
//!
//! Events of the lifecycle come before the session's own record on disk. A
//! daemon that dies between the two leaves an event that was told and a session
//! that does not know; the next one looks at both (`adopt`).

use serde_json::{Value, json};

use super::hub::now;
use super::state::State;
use crate::engine::Now;
use crate::engine::bus::Published;
use crate::engine::event_history::{Entry, Note};
use crate::engine::life::Actor;
use crate::protocol::event::Completion;
use crate::protocol::{EventKind, Scope, SessionId};
use crate::sys::signal;

/// Characters of output, and of the command, in a completion message.
const COMPLETION_CHARS: usize = 2000;

impl State {
    /// Tells an event to whoever subscribed.
    pub(super) fn publish(&mut self, kind: EventKind, id: &SessionId, mut data: Value) {
        let Some(session) = self.registry.get(id) else {
            return;
        };
        // The event may outlive the session.
        if kind.is_lifecycle() && data.is_object() {
            data["label"] = json!(session.spec.label);
        }
        let scope = session.scope.clone();
        self.publish_for(kind, &scope, id, data);
    }

    /// The same for a session that is not registered any more. What is of the
    /// lifecycle is written down before anybody is told.
    pub(super) fn publish_for(
        &mut self,
        kind: EventKind,
        scope: &Scope,
        id: &SessionId,
        data: Value,
    ) {
        let Published { entry, to } = self.bus.publish(kind, scope, id, data, now());
        if kind.is_lifecycle() {
            self.journal
                .write(&Note::Entry(entry.clone()), &self.bus.past);
            self.happened.notify_waiters();
        }
        for connection in to {
            if let Some(outbox) = self.outboxes.get(&connection) {
                outbox.push_event(&entry.event);
            }
        }
    }

    /// Publishes that a session runs, or runs again after a run that ended as
    /// `before` says.
    pub(super) fn publish_start(&mut self, id: &SessionId, before: Value) {
        let Some(session) = self.registry.get(id) else {
            return;
        };
        let mut data = json!({ "pid": session.life.pid() });
        let restarts = session.life.restarts();
        let kind = match restarts {
            0 => {
                let scope = session.scope.clone();
                let by = match scope.is_human() {
                    true => Actor::Human,
                    false => Actor::Agent(scope),
                };
                data["by"] = json!(by.ended_by());
                EventKind::Started
            }
            _ => {
                data["restarts"] = json!(restarts);
                data["reason"] = before["reason"].clone();
                data["backoffMs"] = before["backoffMs"].clone();
                // Absent where its restart policy did it.
                if let Some(Some(by)) = self.restarting.get(id) {
                    data["by"] = json!(by.ended_by());
                }
                EventKind::Restarted
            }
        };
        self.publish(kind, id, data);
    }

    /// Publishes an end, unless a daemon before this one has told it and was
    /// gone before it wrote the session down.
    pub(super) fn publish_end(&mut self, kind: EventKind, id: &SessionId) {
        let told = self.bus.past.last_turn(id);
        if !matches!(told, Some(EventKind::Exited | EventKind::Lost)) {
            let data = self.completion(id, now());
            self.publish(kind, id, data);
        }
    }

    /// Viewers of `scope` have been told these.
    pub(super) fn delivered(&mut self, entries: &[Entry], scope: &Scope) {
        let delivered = self.bus.deliver(entries, scope);
        if !delivered.is_empty() {
            self.journal
                .write(&Note::Delivered { delivered }, &self.bus.past);
        }
    }

    /// A scope knows everything up to `seq`.
    pub(super) fn acknowledge(&mut self, scope: &Scope, seq: u64) {
        if let Some(ack) = self.bus.past.acknowledge(scope, seq) {
            let scope = scope.clone();
            self.journal
                .write(&Note::Ack { ack, scope }, &self.bus.past);
        }
    }

    /// The completion message of a session that has ended.
    fn completion(&mut self, id: &SessionId, now: Now) -> Value {
        let output = super::text::tail(self, id, COMPLETION_CHARS);
        let Some(session) = self.registry.get(id) else {
            return Value::Null;
        };
        json!(Completion {
            label: session.spec.label.clone(),
            command: head(&session.spec.command, COMPLETION_CHARS).to_owned(),
            status: session.life.status(),
            exit_code: session.life.exit_code(),
            signal: session.life.signal().map(signal::name),
            runtime_ms: session.life.runtime_ms(now),
            ended_by: session.life.ended_by().cloned(),
            output,
        })
    }
}

/// The first `chars` characters of `text`.
fn head(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars);
    end.map_or(text, |(end, _)| &text[..end])
}
