//! Requests to the daemon that several parts of the dashboard make.

use crate::protocol::params::{
    Clear, Kill, Queue, Remove, Restart, Set, SignalName, SignalParams, SignalTarget, StatusParams,
};
use crate::protocol::reply::QueueState;
use crate::protocol::{Action, SessionId, Status};
use crate::tui::message::{Cmd, Effect, RequestKind};
use crate::tui::model::{Link, Model, Refresh};

/// Requests a record. If a request is pending, requests it again after the reply.
pub fn refresh(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if let Some(pending) = model.refreshing.get_mut(id) {
        pending.again = true;
        return;
    }
    model.refreshing.insert(id.clone(), Refresh::default());
    let params = StatusParams {
        session_id: id.to_string(),
        ..StatusParams::default()
    };
    cmds.push(Cmd::Request(
        RequestKind::Record(id.clone()),
        Action::Status(params),
    ));
}

/// Ends jobs, immediately or with a grace period. If connected, they are shown as stopping from now
/// on, because the reply arrives only after they have ended.
pub fn stop(model: &mut Model, ids: &[SessionId], force: bool, cmds: &mut Vec<Cmd>) {
    for id in ids {
        let grace_ms = grace_ms(model, id);
        let up = model.daemon.link == Link::Up;
        if let Some(job) = model.jobs.iter_mut().find(|job| up && job.id() == id) {
            job.record.summary.status = Status::Stopping;
            job.stopping_at.get_or_insert(model.now.ms);
        }
        cmds.push(kill(id, force, grace_ms));
    }
}

/// How long a job has to end, in milliseconds; `None` if that is given already.
fn grace_ms(model: &Model, id: &SessionId) -> Option<u64> {
    let mut jobs = model.jobs.iter();
    let job = jobs.find(|job| job.id() == id);
    let has_grace = job.is_some_and(|job| job.record.summary.has_grace());
    (!has_grace).then_some(model.options.stop_grace_ms)
}

/// Kills a job after a grace period, or at once.
fn kill(id: &SessionId, force: bool, grace_ms: Option<u64>) -> Cmd {
    let params = Kill {
        session_id: Some(id.to_string()),
        force: force.then_some(true),
        grace_ms: grace_ms.filter(|_| !force),
        ..Kill::default()
    };
    let tag = RequestKind::Kill(id.clone(), force);
    Cmd::Request(tag, Action::Kill(params))
}

/// Tries again to kill the processes that survived a stop of these jobs.
pub fn kill_again(ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    cmds.extend(ids.iter().map(|id| kill(id, true, None)));
}

/// Restarts jobs.
pub fn restart(model: &Model, ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    for id in ids {
        let params = Restart {
            session_id: id.to_string(),
            grace_ms: grace_ms(model, id),
            unique_label: Some(true),
            ..Restart::default()
        };
        cmds.push(Cmd::Request(
            RequestKind::Restart(id.clone()),
            Action::Restart(params),
        ));
    }
}

/// Starts lost jobs with the commands that continue them. One that waits gets another environment, if its own was lost.
pub fn resume(ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    for id in ids {
        let params = Restart {
            session_id: id.to_string(),
            unique_label: Some(true),
            resume: Some(true),
            ..Restart::default()
        };
        cmds.push(Cmd::Request(
            RequestKind::Restart(id.clone()),
            Action::Restart(params),
        ));
    }
}

/// Removes ended jobs. `kill: false`, so that a job that was restarted in the meantime stays.
pub fn remove(ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    for id in ids {
        let params = Remove {
            session_id: id.to_string(),
            kill: Some(false),
        };
        cmds.push(Cmd::Request(
            RequestKind::Remove(id.clone()),
            Action::Remove(params),
        ));
    }
}

/// Pauses or continues jobs.
pub fn pause(ids: &[SessionId], pause: bool, cmds: &mut Vec<Cmd>) {
    let signal = if pause { "STOP" } else { "CONT" };
    for id in ids {
        let params = SignalParams {
            session_id: id.to_string(),
            signal: SignalName::Name(signal.to_owned()),
            target: Some(SignalTarget::Tree),
        };
        cmds.push(Cmd::Request(
            RequestKind::Pause(id.clone(), pause),
            Action::Signal(params),
        ));
    }
}

/// Requests the queues.
pub fn queues(cmds: &mut Vec<Cmd>) {
    cmds.push(Cmd::Request(
        RequestKind::Queues,
        Action::Queue(Queue::default()),
    ));
}

/// Pauses or resumes a queue.
pub fn pause_queue(queue: &QueueState, pause: bool, cmds: &mut Vec<Cmd>) {
    // The queues that belong to no project are found where no project is around.
    let dir = queue.project.as_ref().map_or("/", |project| &project.dir);
    let params = Queue {
        group: Some(queue.queue.clone()),
        paused: Some(pause),
        dir: Some(dir.to_owned()),
        ..Queue::default()
    };
    cmds.push(Cmd::Request(
        RequestKind::PauseQueue(queue.queue.clone(), pause),
        Action::Queue(params),
    ));
}

/// Moves jobs to the front or to the end of their queue. `ids` are in the order of the queue, which they keep.
pub fn move_in_queue(ids: &[SessionId], first: bool, cmds: &mut Vec<Cmd>) {
    let mut ids: Vec<&SessionId> = ids.iter().collect();
    if first {
        ids.reverse();
    }
    cmds.extend(ids.into_iter().map(|id| {
        let params = Set {
            session_id: id.to_string(),
            place: Some(if first { 1 } else { u32::MAX }),
            ..Set::default()
        };
        Cmd::Request(RequestKind::Move(id.clone(), first), Action::Set(params))
    }));
}

/// Clears the logs of jobs.
pub fn clear(ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    cmds.extend(ids.iter().map(|id| {
        let params = Clear {
            session_id: id.to_string(),
        };
        Cmd::Request(RequestKind::Clear(id.clone()), Action::Clear(params))
    }));
}

/// Opens the whole log of the job in the pane in the pager, an external program.
pub fn pager(model: &mut Model, cmds: &mut Vec<Cmd>) {
    match model.current_id() {
        Some(id) => cmds.push(Cmd::Effect(Effect::Pager(id.clone()))),
        None => model.note("There is no log to read."),
    }
}
