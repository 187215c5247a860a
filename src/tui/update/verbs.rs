//! What is done to jobs, and what is asked before.

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

/// Asks before stopping what is selected.
pub(super) fn stop(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(ids) = alive_targets(model, "stop") {
        ask(model, Ask::Stop(ids), cmds);
    }
}

/// Asks before stopping the group of what is selected.
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

/// Asks before killing what is selected.
pub(super) fn kill(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(ids) = alive_targets(model, "kill") {
        ask(model, Ask::Kill(ids), cmds);
    }
}

/// Restarts what is selected; asks if something of it runs, or if it is more than one job.
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

/// Pauses what is selected, or continues it if all of it is paused; asks if it is more than one job.
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

/// Pauses jobs, or continues them.
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

/// Tells agents that nobody will answer what they ask about the selected job.
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

/// Removes what is selected and has ended; asks unless it is one job that ended well.
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

/// Ends jobs, at once or with grace. They show as stopping from here on, if there is a daemon to stop them: the
/// answer comes once they have ended.
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

/// Tries once more to end what a stop of the selected jobs has left behind; `false` if it left nothing.
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

/// Runs jobs again.
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

/// Forgets ended jobs. `kill: false`, so that one that was restarted meanwhile stays.
pub(super) fn remove_now(ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    for id in ids {
        let params = Remove {
            session_id: id.to_string(),
            kill: Some(false),
        };
        cmds.push(Cmd::Ask(Tag::Remove(id.clone()), Action::Remove(params)));
    }
}

/// The selected jobs that are alive; says why there are none.
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

/// Asks, unless the person has decided never to be asked.
pub(super) fn ask(model: &mut Model, ask: Ask, cmds: &mut Vec<Cmd>) {
    if model.asks {
        model.mode = Mode::Confirm(Confirm { ask });
    } else {
        confirm::act(model, ask, Some(keymap::Action::Yes), cmds);
    }
}

/// Asks before the whole group of the selected job runs again.
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
