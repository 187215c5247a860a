//! Removing with undo: the row disappears at once, and the request goes to the daemon [`UNDO_MS`]
//! later, or when the view closes.
//!
//! If the view is killed before that, no request is sent and the job still exists.

use super::msg::Cmd;
use super::verbs;
use crate::protocol::SessionId;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::job::Job;
use crate::tui::model::mode::{Ask, Frame};
use crate::tui::model::removed::{Removed, UNDO_MS};
use crate::tui::model::{Link, Model};
use crate::tui::shell;

/// Removes ended jobs from the list and tells how to undo it.
pub(super) fn remove(model: &mut Model, ids: &[SessionId], cmds: &mut Vec<Cmd>) {
    flush(model, cmds);
    let command = shell::for_jobs(Action::Remove, model, ids);
    let (jobs, rest): (Vec<Job>, Vec<Job>) = std::mem::take(&mut model.jobs)
        .into_iter()
        // A job that was restarted in the meantime stays.
        .partition(|job| ids.contains(job.id()) && !job.is_alive());
    model.jobs = rest;
    if jobs.is_empty() {
        return;
    }
    if model.jobs.is_empty() {
        model.frame = Frame::default();
    }
    let what = match jobs.as_slice() {
        [job] => job.name.clone(),
        several => format!("{} jobs", several.len()),
    };
    let undo = model.keymap.key(Place::Normal, Action::Undo);
    let said = match undo {
        Some(key) => format!("removed {what}   {key} undo"),
        None => format!("removed {what}"),
    };
    model.note_for(&said, command, UNDO_MS);
    model.removed = Some(Removed {
        jobs,
        until: model.now.ms + UNDO_MS,
        said,
    });
    model.stale = true;
}

/// Restores the jobs removed last.
pub(super) fn undo(model: &mut Model) {
    let Some(removed) = model.removed.take() else {
        model.note("There is nothing to put back: what was removed more than 10 s ago is gone.");
        return;
    };
    model.toasts.withdraw(&removed.said);
    let what = match removed.jobs.as_slice() {
        [job] => format!("{} is back", job.name),
        several => format!("{} jobs are back", several.len()),
    };
    model.wanted = removed.jobs.first().map(|job| job.id().clone());
    model.jobs.extend(removed.jobs);
    model.stale = true;
    model.note(what);
}

/// Asks before removing all ended jobs; with a filter, only those that match it.
pub(super) fn remove_ended(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let query = model.query();
    let ended: Vec<SessionId> = model
        .jobs
        .iter()
        .filter(|job| !job.is_alive() && query.matches(job))
        .map(|job| job.id().clone())
        .collect();
    if ended.is_empty() {
        model.note("No job has ended: there is nothing to remove.");
    } else {
        verbs::ask(model, Ask::Remove(ended), cmds);
    }
}

/// Sends the request once the time has passed; waits while there is no connection.
pub(super) fn expire(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let due = |removed: &Removed| removed.until <= model.now.ms;
    if model.link == Link::Up && model.removed.as_ref().is_some_and(due) {
        flush(model, cmds);
    }
}

/// Sends the request now.
pub(super) fn flush(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(removed) = model.removed.take() else {
        return;
    };
    let ids: Vec<SessionId> = removed.jobs.iter().map(|job| job.id().clone()).collect();
    verbs::remove_now(&ids, cmds);
    model.toasts.withdraw(&removed.said);
}

/// Drops jobs that somebody else has removed, because they cannot be restored.
pub(super) fn gone(model: &mut Model, is_gone: impl Fn(&SessionId) -> bool) {
    let Some(removed) = &mut model.removed else {
        return;
    };
    removed.jobs.retain(|job| !is_gone(job.id()));
    if removed.jobs.is_empty() {
        model.toasts.withdraw(&removed.said);
        model.removed = None;
        model.dirty = true;
    }
}

/// Handles a new record of a job shown as removed. `None` if the job stays removed; a job that runs
/// again is returned to the list.
pub(super) fn news(removed: &mut Option<Removed>, job: Job) -> Option<Job> {
    let Some(known) = removed else {
        return Some(job);
    };
    if known.take(job.id()).is_none() || job.is_alive() {
        return Some(job);
    }
    known.jobs.push(job);
    None
}
