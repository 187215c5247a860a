//! Queues, as clients are told: what has become of them, and why one is paused.

use serde_json::json;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::guests::QUEUES;
use crate::engine::life::Actor;
use crate::engine::project::Queue;
use crate::engine::session::Session;
use crate::protocol::project::OnFailure;
use crate::protocol::{Event, EventKind, Scope, SessionId};

impl State {
    /// Tells people which queues of a project are not as they were told, and on whose behalf, if somebody has changed
    /// them.
    pub(crate) fn tell_queues(&mut self, id: &ProjectId, by: Option<&Actor>) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        if project.told_queues == project.wish.queues {
            return;
        }
        let now = project.wish.queues.clone();
        let before = std::mem::replace(&mut project.told_queues, now.clone());
        let mut names: Vec<&String> = now.keys().chain(before.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let queue = meant(now.get(name));
            for kind in news(&meant(before.get(name)), &queue) {
                self.tell_queue(id, name, &queue, kind, by);
            }
        }
    }

    fn tell_queue(
        &mut self,
        id: &ProjectId,
        name: &str,
        queue: &Queue,
        kind: EventKind,
        by: Option<&Actor>,
    ) {
        let project = self.projects.get(id).filter(|project| project.id != QUEUES);
        let project = project.map(|project| project.name().name);
        let mut data = json!({
            "queue": name,
            "parallel": queue.parallel,
            "onFailure": on_failure(queue),
            "paused": queue.paused,
            "why": self.why_paused(queue),
        });
        if let Some(project) = project {
            data["project"] = json!(project);
        }
        if let Some(by) = by {
            data["by"] = json!(by.ended_by());
        }
        let event = Event {
            at: Some(now().wall),
            data,
            ..Event::of(kind)
        };
        // Only people see and change queues.
        self.events.pass_on(event, &Scope::human());
    }

    /// `build failed`: why a queue is paused, if no person has paused it.
    pub(crate) fn why_paused(&self, queue: &Queue) -> Option<String> {
        let job = queue.failed.as_deref()?;
        // Guests are named by the ids of their sessions.
        let session = SessionId::parse(job).and_then(|id| self.sessions.get(&id));
        Some(format!("{} failed", session.map_or(job, Session::name)))
    }
}

/// What a queue does to itself when one of its sessions fails.
pub(crate) fn on_failure(queue: &Queue) -> OnFailure {
    if queue.pauses_on_failure {
        OnFailure::Pause
    } else {
        OnFailure::Continue
    }
}

/// A queue; one that lets all start is none.
fn meant(queue: Option<&Queue>) -> Queue {
    let queue = queue.filter(|queue| queue.parallel > 0);
    queue.cloned().unwrap_or_default()
}

/// What there is to tell of a queue.
fn news(before: &Queue, now: &Queue) -> Vec<EventKind> {
    let how = |queue: &Queue| (queue.parallel, queue.pauses_on_failure);
    let mut news = Vec::new();
    if how(before) != how(now) {
        news.push(EventKind::QueueChanged);
    }
    match (before.paused, now.paused) {
        (false, true) => news.push(EventKind::QueuePaused),
        // One that is gone does not start anything again.
        (true, false) if now.parallel > 0 => news.push(EventKind::QueueResumed),
        _ => {}
    }
    news
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_and_nothing_else() {
        use EventKind::{QueueChanged, QueuePaused, QueueResumed};
        let none = Queue::default();
        let one = Queue {
            parallel: 1,
            ..Queue::default()
        };
        let paused = Queue {
            paused: true,
            ..one.clone()
        };
        assert_eq!(news(&none, &one), [QueueChanged]);
        assert_eq!(news(&none, &paused), [QueueChanged, QueuePaused]);
        assert_eq!(news(&one, &paused), [QueuePaused]);
        assert_eq!(news(&paused, &one), [QueueResumed]);
        assert_eq!(news(&paused, &none), [QueueChanged]);
        assert_eq!(news(&paused, &paused), []);
        let all = Queue::default();
        assert_eq!(news(&meant(Some(&all)), &meant(None)), []);
    }
}
