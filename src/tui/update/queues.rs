//! Replies about queues: how they are, and what has become of them.

use serde_json::Value;

use crate::protocol::SessionId;
use crate::protocol::reply::{QueueState, Queues};
use crate::term::sanitize::clean;
use crate::tui::message::Cmd;
use crate::tui::model::job::Job;
use crate::tui::model::{Model, queues};
use crate::tui::modes::normal::queue_paused;
use crate::tui::requests::refresh;
use crate::tui::shell::{self, Verb};
use crate::tui::state::State;

/// All queues have arrived.
pub(super) fn received(model: &mut Model, value: Value) {
    if let Ok(all) = serde_json::from_value::<Queues>(value) {
        replace(model, all.queues);
    }
}

fn replace(model: &mut Model, all: Vec<QueueState>) {
    if model.queues != all {
        model.queues = all;
        // A group that has become a queue has a heading.
        model.list.stale = true;
        model.dirty = true;
    }
}

/// A queue was paused or resumed from here. The event about it may come later.
pub(super) fn paused(model: &mut Model, name: &str, pause: bool, value: Value) {
    let all = serde_json::from_value::<Queues>(value).map(|all| all.queues);
    let Some(changed) = all.ok().and_then(|mut all| all.pop()) else {
        return model.fail(format!(
            "The reply about the queue {name} could not be read"
        ));
    };
    let mut known = model.queues.clone();
    known.retain(|queue| !queues::is_same(queue, &changed));
    known.push(changed.clone());
    replace(model, known);
    queue_paused(model, &changed, pause);
}

/// A job was moved in its queue, and with it the others that wait there.
pub(super) fn moved(model: &mut Model, id: &SessionId, first: bool, cmds: &mut Vec<Cmd>) {
    others_moved(model, id, cmds);
    let queue = model.job(id).and_then(|job| queues::of(&model.queues, job));
    let queue = queue.map_or_else(|| "its queue".to_owned(), |queue| clean(&queue.queue));
    let name = model.name_of(id);
    let (text, verb) = if first {
        (
            format!("{name} is the next one in {queue}"),
            Verb::MoveFirst,
        )
    } else {
        (format!("{name} is the last one in {queue}"), Verb::MoveLast)
    };
    let command = shell::on_jobs(verb, model, std::slice::from_ref(id));
    model.note_each(("moved", id), text, command);
}

/// No event tells of the places of the other jobs that wait in the queue of one that was moved.
pub(super) fn others_moved(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    let Some(queue) = model.job(id).and_then(|job| queues::of(&model.queues, job)) else {
        return;
    };
    let is_other = |job: &&Job| {
        let own = queues::of(&model.queues, job);
        job.id() != id
            && job.state() == State::Queued
            && own.is_some_and(|own| queues::is_same(own, queue))
    };
    let others = model.jobs.iter().filter(is_other);
    let others: Vec<SessionId> = others.map(|job| job.id().clone()).collect();
    for other in others {
        refresh(model, &other, cmds);
    }
}
