//! Actions on jobs, and their confirmations.

use super::msg::{Cmd, Tag};
use super::{confirm, quit, undo};
use crate::protocol::params::{
    Decline, Kill, Remove, Restart, SignalName, SignalParams, SignalTarget,
};
use crate::protocol::{Action, SessionId, Status};
use crate::tui::keymap;
use crate::tui::model::mode::{Ask, Confirm, Mode};
use crate::tui::model::rows::group_of;
use crate::tui::model::{Link, Model, Selected};
use crate::tui::state::State;

/// Asks before stopping the selected jobs.
pub(super) fn stop(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(ids) = alive_targets(model, "stop") {
        ask(model, Ask::Stop(ids), cmds);
    }
}

/// Asks before stopping the group of the selected job.
pub(super) fn stop_group(model: &mut Model, cmds: &mut Vec<Cmd>) {
    match quit::group(model) {
        Some((_, ids)) => ask(model, Ask::Stop(ids), cmds),
        None => model.note("Nothing of this group runs."),
    }
}

/// Asks before stopping all jobs.
pub(super) fn stop_all(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let alive = model.jobs.iter().filter(|job| job.is_alive());
    let ids: Vec<SessionId> = alive.map(|job| job.id().clone()).collect();
    if ids.is_empty() {
        model.note("No job is running.");
    } else {
        ask(model, Ask::Stop(ids), cmds);
    }
}

/// Asks before killing the selected jobs.
pub(super) fn kill(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(ids) = alive_targets(model, "kill") {
        ask(model, Ask::Kill(ids), cmds);
    }
}

/// Restarts the selected jobs; asks if one of them runs or if there are several.
pub(super) fn restart(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let ids = model.targets();
    let alive = ids
        .iter()
        .filter_map(|id| model.job(id))
        .any(|job| job.is_alive());
    match ids.as_slice() {
        [] => model.note(format!(
            "There is no job to restart. {} starts one.",
            model.key("n")
        )),
        [_] if !alive => restart_now(model, &ids, cmds),
        _ => ask(model, Ask::Restart(ids), cmds),
    }
}

/// Pauses the selected jobs, or continues them if all are paused; asks if there are several.
pub(super) fn pause(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(ids) = alive_targets(model, "pause") else {
        return;
    };
    let paused = |id: &SessionId| {
        model
            .job(id)
            .is_some_and(|job| job.record.summary.status == Status::Paused)
    };
    let pause = !ids.iter().all(paused);
    match ids.as_slice() {
        [_] => pause_now(&ids, pause, cmds),
        _ => ask(model, Ask::Pause(ids, pause), cmds),
    }
}

/// Pauses or continues jobs.
pub(super) fn pause_now(ids: &[SessionId], pause: bool, cmds: &mut Vec<Cmd>) {
    let signal = if pause { "STOP" } else { "CONT" };
    for id in ids {
        let params = SignalParams {
            session_id: id.to_string(),
            signal: SignalName::Name(signal.to_owned()),
            target: Some(SignalTarget::Tree),
        };
        cmds.push(Cmd::Ask(Tag::Signal(id.clone()), Action::Signal(params)));
    }
}

/// Declines the agents' questions about the selected job.
pub(super) fn decline(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let asked = model.current().filter(|job| !job.record.asked.is_empty());
    let Some(id) = asked.map(|job| job.id().clone()) else {
        model.note("No agent asks anything about this job.");
        return;
    };
    let params = Decline {
        session_id: id.to_string(),
    };
    cmds.push(Cmd::Ask(Tag::Decline(id), Action::Decline(params)));
}

/// Removes the selected jobs that have ended; asks unless it is a single job that ended
/// successfully.
pub(super) fn remove(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let targets = model.targets();
    let ended: Vec<SessionId> = targets
        .iter()
        .filter(|id| model.job(id).is_some_and(|job| !job.is_alive()))
        .cloned()
        .collect();
    match (ended.as_slice(), targets.as_slice()) {
        (_, []) => model.note("There is no job to remove."),
        ([], [id]) => {
            let name = model.name_of(id);
            model.note(format!(
                "{name} is running. {} stops it, then {} removes it.",
                model.key("x"),
                model.key("d")
            ));
        }
        ([], _) => model.note(format!(
            "All of these jobs are running. {} stops them, then {} removes them.",
            model.key("x"),
            model.key("d")
        )),
        ([id], _) if model.job(id).map(|job| job.state()) == Some(State::Done) => {
            undo::remove(model, &ended, cmds);
        }
        _ => ask(model, Ask::Remove(ended), cmds),
    }
}

/// Ends jobs, immediately or with a grace period. If connected, they are shown as stopping from now
/// on, because the reply arrives only after they have ended.
pub(super) fn end_now(model: &mut Model, ids: &[SessionId], force: bool, cmds: &mut Vec<Cmd>) {
    for id in ids {
        let up = model.link == Link::Up;
        if let Some(job) = model.jobs.iter_mut().find(|job| up && job.id() == id) {
            job.record.summary.status = Status::Stopping;
        }
        let params = Kill {
            session_id: Some(id.to_string()),
            force: force.then_some(true),
            grace_ms: (!force).then_some(model.stop_grace_ms),
            ..Kill::default()
        };
        cmds.push(Cmd::Ask(Tag::Kill(id.clone()), Action::Kill(params)));
    }
}

/// Tries again to kill the processes that survived a stop of the selected jobs; `false` if there
/// are none.
pub(super) fn end_survivors(model: &mut Model, cmds: &mut Vec<Cmd>) -> bool {
    let mut ids = model.targets();
    ids.retain(|id| model.survivors.contains_key(id));
    for id in &ids {
        let params = Kill {
            session_id: Some(id.to_string()),
            force: Some(true),
            ..Kill::default()
        };
        cmds.push(Cmd::Ask(Tag::Kill(id.clone()), Action::Kill(params)));
    }
    !ids.is_empty()
}

/// Restarts jobs.
pub(super) fn restart_now(model: &Model, ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    for id in ids {
        let params = Restart {
            session_id: id.to_string(),
            grace_ms: Some(model.stop_grace_ms),
            unique_label: Some(true),
        };
        cmds.push(Cmd::Ask(Tag::Restart(id.clone()), Action::Restart(params)));
    }
}

/// Removes ended jobs. `kill: false`, so that a job that was restarted in the meantime stays.
pub(super) fn remove_now(ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    for id in ids {
        let params = Remove {
            session_id: id.to_string(),
            kill: Some(false),
        };
        cmds.push(Cmd::Ask(Tag::Remove(id.clone()), Action::Remove(params)));
    }
}

/// The selected jobs that are alive; if there are none, tells why.
pub(super) fn alive_targets(model: &mut Model, verb: &str) -> Option<Vec<SessionId>> {
    let targets = model.targets();
    let alive: Vec<SessionId> = targets
        .iter()
        .filter(|id| model.job(id).is_some_and(|job| job.is_alive()))
        .cloned()
        .collect();
    if !alive.is_empty() {
        return Some(alive);
    }
    let text = match targets.as_slice() {
        [] => format!("There is no job to {verb}."),
        [id] => {
            let word = model.job(id).map(|job| job.state().word());
            let name = model.name_of(id);
            let word = word.unwrap_or_default();
            format!(
                "{name} has ended already ({word}). {} restarts it, {} removes it.",
                model.key("r"),
                model.key("d")
            )
        }
        _ => "All of these jobs have ended already.".to_owned(),
    };
    model.note(text);
    None
}

/// Asks for confirmation, unless confirmations are disabled.
pub(super) fn ask(model: &mut Model, ask: Ask, cmds: &mut Vec<Cmd>) {
    if model.asks {
        model.mode = Mode::Confirm(Confirm { ask });
    } else {
        confirm::act(model, ask, Some(keymap::Action::Yes), cmds);
    }
}

/// Asks before restarting the whole group of the selected job.
pub(super) fn restart_group(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let key = match &model.selected {
        Selected::Group(key) => Some(key.clone()),
        _ => model.current().map(|job| group_of(job).0),
    };
    let members = model
        .jobs
        .iter()
        .filter(|job| Some(&group_of(job).0) == key.as_ref());
    let ids: Vec<SessionId> = members.map(|job| job.id().clone()).collect();
    if ids.is_empty() {
        model.note("There is no group to restart.");
    } else {
        ask(model, Ask::Restart(ids), cmds);
    }
}
