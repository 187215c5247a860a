//! Closing the view and stopping jobs: it closes once they have ended, and stays if something survives.

use super::msg::{Cmd, Exit};
use super::verbs;
use crate::protocol::SessionId;
use crate::tui::model::mode::{Ask, Confirm, Mode};
use crate::tui::model::quitting::Quitting;
use crate::tui::model::rows::group_of;
use crate::tui::model::{Model, Selected};

/// Asks what to stop; with nothing to stop the view just closes.
pub(super) fn ask(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.counts().alive() == 0 {
        cmds.push(Cmd::Quit(Exit::Closed));
        return;
    }
    // Also for those who never want to be asked: it is a choice.
    model.mode = Mode::Confirm(Confirm { ask: Ask::Quit });
}

/// The group of the selected job: what it is called, and its jobs that are alive.
pub(in crate::tui) fn group(model: &Model) -> Option<(String, Vec<SessionId>)> {
    let key = match &model.selected {
        Selected::Group(key) => key.clone(),
        _ => group_of(model.current()?).0,
    };
    let members = model.jobs.iter().filter(|job| group_of(job).0 == key);
    let title = members.clone().next().map(|job| group_of(job).1)?;
    let alive: Vec<SessionId> = members
        .filter(|job| job.is_alive())
        .map(|job| job.id().clone())
        .collect();
    (!alive.is_empty()).then_some((title, alive))
}

/// Stops the jobs of the selected group, and then closes.
pub(super) fn stop_group(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some((_, ids)) = group(model) {
        stop(model, ids, cmds);
    }
}

/// Stops all jobs, and then closes.
pub(super) fn stop_all(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let alive = model.jobs.iter().filter(|job| job.is_alive());
    let ids = alive.map(|job| job.id().clone()).collect();
    stop(model, ids, cmds);
}

fn stop(model: &mut Model, ids: Vec<SessionId>, cmds: &mut Vec<Cmd>) {
    verbs::end_now(model, &ids, false, cmds);
    model.quitting = Some(Quitting {
        total: ids.len(),
        left: ids,
    });
}

/// A job has ended, with all that belonged to it; after the last one the view closes.
pub(super) fn ended(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    let Some(quitting) = &mut model.quitting else {
        return;
    };
    quitting.left.retain(|left| left != id);
    if quitting.left.is_empty() {
        model.quitting = None;
        cmds.push(Cmd::Quit(Exit::Closed));
    }
}

/// The view stays: something was not stopped, or the person wants to stay. Says whether it was about to close.
pub(super) fn stay(model: &mut Model) -> bool {
    model.quitting.take().is_some()
}

/// After the daemon was away: answers are lost, so what is still alive is stopped once more.
pub(super) fn again(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(quitting) = &model.quitting else {
        return;
    };
    let (alive, over): (Vec<SessionId>, Vec<SessionId>) = quitting
        .left
        .iter()
        .cloned()
        .partition(|id| model.job(id).is_some_and(|job| job.is_alive()));
    verbs::end_now(model, &alive, false, cmds);
    for id in over {
        ended(model, &id, cmds);
    }
}
