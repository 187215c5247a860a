//! Builds and publishes the events about sessions.

use serde_json::{Value, json};

use super::State;
use crate::daemon::clock::now;
use crate::daemon::projects::project::UnderWay;
use crate::engine::Now;
use crate::engine::life::{Actor, Life};
use crate::engine::session::Session;
use crate::protocol::cause::Cause;
use crate::protocol::event::Completion;
use crate::protocol::{EventKind, SessionId, shell};
use crate::sys::signal;

/// Maximum number of characters of output, and of the command, in a completion message.
const COMPLETION_CHARS: usize = 2000;

/// What the event about a run says of the time before it.
pub(crate) struct RunBefore {
    /// How the run before ended.
    pub(super) reason: Option<String>,
    /// The pause before this run in milliseconds, if the restart policy starts it.
    pub(super) backoff_ms: Option<u64>,
    /// Why this run was started, if nobody has asked for it.
    pub(super) because: Option<Cause>,
}

impl RunBefore {
    /// What is known from the life of a session before its next run begins.
    pub(crate) fn of(life: &Life) -> Self {
        Self {
            reason: life.reason().map(str::to_owned),
            backoff_ms: life.backoff_ms(),
            because: None,
        }
    }
}

impl State {
    /// Publishes an event to its subscribers.
    pub(crate) fn publish(&mut self, kind: EventKind, id: &SessionId, mut data: Value) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        // Add the label, because the event may outlive the session.
        if kind.is_lifecycle() && data.is_object() {
            data["label"] = json!(session.spec.label);
            if let Some(project) = self.project_of(id) {
                data["project"] = json!(project);
            }
        }
        let scope = session.scope.clone();
        self.run_hooks(kind, id, &data);
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        // Who waits for a project is told that a job asks something.
        let asks = session
            .spec
            .project
            .as_ref()
            .filter(|_| kind == EventKind::InputNeeded);
        if let Some(project) = asks.and_then(|of| self.projects.get_mut(&of.id)) {
            project.bump();
        }
        self.events.publish(kind, &scope, id, data);
    }

    /// The name of the project whose job a session runs.
    pub(super) fn project_of(&self, id: &SessionId) -> Option<String> {
        let of = self.sessions.get(id)?.spec.project.as_ref()?;
        Some(self.projects.get(&of.id)?.name().name)
    }

    /// Publishes `started` or, for a later run, `restarted`.
    pub(crate) fn publish_start(&mut self, id: &SessionId, before: RunBefore) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let mut data = json!({ "pid": session.life.pid() });
        let starter = self.starter_in_project(session);
        let restarts = session.life.restarts();
        let kind = match restarts {
            0 => {
                let scope = session.scope.clone();
                let owner = || {
                    if scope.is_human() {
                        Actor::Human
                    } else {
                        Actor::Agent(scope)
                    }
                };
                let by = starter.unwrap_or_else(owner);
                data["by"] = json!(by.ended_by());
                EventKind::Started
            }
            _ => {
                data["restarts"] = json!(restarts);
                data["reason"] = json!(before.reason);
                data["backoffMs"] = json!(before.backoff_ms);
                if let Some(because) = before.because {
                    data["because"] = json!(because);
                }
                if let Some(batch) = &session.batch {
                    // A batch system has run it again, not a restart policy.
                    data["engine"] = batch.launcher.kind.name().into();
                }
                let asked = self.restarting.get(id).and_then(|asked| asked.by.clone());
                // Absent if the restart policy started the run.
                if let Some(by) = asked.or(starter) {
                    data["by"] = json!(by.ended_by());
                }
                EventKind::Restarted
            }
        };
        self.publish(kind, id, data);
    }

    /// On whose behalf the project of a session starts its run; `None` if it has none, or its restart policy does.
    fn starter_in_project(&self, session: &Session) -> Option<Actor> {
        let of = session.spec.project.as_ref()?;
        let project = self.projects.get(&of.id)?;
        let starts = matches!(project.under_way.get(&of.job), Some(UnderWay::Starting(_)));
        starts.then(|| project.on_behalf_of(&of.job))
    }

    /// Publishes the command that a session has got, and who has given it.
    pub(crate) fn publish_command(&mut self, id: &SessionId, by: &Actor) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let line = shell::line(&session.spec.command, session.spec.args.as_deref());
        let data = json!({ "command": head(&line, COMPLETION_CHARS), "by": by.ended_by() });
        self.publish(EventKind::CommandChanged, id, data);
    }

    /// Publishes the end of a session, unless an earlier daemon published it and died before it saved the
    /// record.
    pub(crate) fn publish_end(&mut self, kind: EventKind, id: &SessionId) {
        let told = self.events.bus.past.last_turn(id);
        if !matches!(told, Some(EventKind::Exited | EventKind::Lost)) {
            self.publish_next_end(kind, id);
        }
    }

    /// Publishes an end that is not the one that was published last.
    pub(crate) fn publish_next_end(&mut self, kind: EventKind, id: &SessionId) {
        let data = self.completion(id, now());
        self.publish(kind, id, data);
    }

    /// The completion message of a session that has ended.
    fn completion(&mut self, id: &SessionId, now: Now) -> Value {
        let output = self.sessions.tail(id, COMPLETION_CHARS);
        let Some(session) = self.sessions.get(id) else {
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
            engine: session.batch.as_ref().and_then(|batch| batch.ended_it()),
            reason: session.life.reason_without_end().map(str::to_owned),
            stop_failure: session.life.stop_failure().map(str::to_owned),
            output,
        })
    }
}

/// The first `chars` characters of `text`.
fn head(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars);
    end.map_or(text, |(end, _)| &text[..end])
}
