//! Stopping jobs and closing the view: it closes once they have ended, and stays open if a process
//! survives.

use super::msg::{Cmd, Exit};
use super::verbs;
use crate::protocol::SessionId;
use crate::tui::model::mode::{Ask, Confirm, Mode};
use crate::tui::model::quitting::Quitting;
use crate::tui::model::rows::group_of;
use crate::tui::model::{Model, Selected};

/// Asks what to stop; if nothing is alive, the view closes.
pub(super) fn ask(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.counts().alive() == 0 {
        cmds.push(Cmd::Quit(Exit::Closed));
        return;
    }
    // Asked even if confirmations are disabled, because it is a choice.
    model.mode = Mode::Confirm(Confirm { ask: Ask::Quit });
}

/// The group of the selected job: its title and its alive jobs.
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

/// Stops the jobs of the selected group, then closes.
pub(super) fn stop_group(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some((_, ids)) = group(model) {
        stop(model, ids, cmds);
    }
}

/// Stops all jobs, then closes.
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

/// A job has ended with all of its processes; after the last one the view closes.
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

/// Cancels closing, because something was not stopped or the person wants to stay. Returns whether
/// the view was about to close.
pub(super) fn stay(model: &mut Model) -> bool {
    model.quitting.take().is_some()
}

/// After a reconnect: replies were lost, so jobs still alive are stopped again.
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
