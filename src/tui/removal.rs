//! Removing with undo: the row disappears at once, and the request goes to the daemon [`UNDO_MS`]
//! later, or when the view closes.
//!
//! If the view is killed before that, no request is sent and the job still exists.

use crate::protocol::SessionId;
use crate::tui::keymap::NORMAL;
use crate::tui::message::Cmd;
use crate::tui::model::job::Job;
use crate::tui::model::mode::Frame;
use crate::tui::model::removed::{Removed, UNDO_MS};
use crate::tui::model::{Link, Model};
use crate::tui::requests;
use crate::tui::shell::{self, Verb};

/// Removes ended jobs from the list and tells how to undo it. Jobs that can still be restored wait
/// together with them, so that each waits for at least [`UNDO_MS`].
pub fn remove(model: &mut Model, ids: &[SessionId]) {
    let mut ids = ids.to_vec();
    if let Some(earlier) = model.removed.take() {
        model.toasts.withdraw(&earlier.said);
        ids.splice(0..0, earlier.jobs.iter().map(|job| job.id().clone()));
        earlier.put_back(&mut model.jobs);
    }
    let order = model.jobs.iter().map(|job| job.id().clone()).collect();
    let command = shell::on_jobs(Verb::Remove, model, &ids);
    let (jobs, rest): (Vec<Job>, Vec<Job>) = std::mem::take(&mut model.jobs)
        .into_iter()
        // A job that was restarted in the meantime stays.
        .partition(|job| ids.contains(job.id()) && !job.is_going());
    model.jobs = rest;
    if jobs.is_empty() {
        return;
    }
    if model.jobs.is_empty() {
        model.frame = Frame::default();
    }
    for job in &jobs {
        model.list.marked.remove(job.id());
    }
    let what = match jobs.as_slice() {
        [job] => job.name.clone(),
        several => format!("{} jobs", several.len()),
    };
    let undo = model.keymap.key_named(NORMAL, "undo");
    let said = match undo {
        Some(key) => format!("removed {what}   {key} undo"),
        None => format!("removed {what}"),
    };
    model.note_for(&said, command, UNDO_MS);
    model.removed = Some(Removed {
        jobs,
        order,
        until: model.now.ms + UNDO_MS,
        said,
    });
    model.list.stale = true;
}

/// Restores the jobs removed last.
pub fn undo(model: &mut Model) {
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
    removed.put_back(&mut model.jobs);
    model.list.stale = true;
    model.note(what);
}

/// Sends the request once the time has passed; waits while there is no connection.
pub fn expire(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let due = |removed: &Removed| removed.until <= model.now.ms;
    if model.daemon.link == Link::Up && model.removed.as_ref().is_some_and(due) {
        flush(model, cmds);
    }
}

/// Sends the request now.
pub fn flush(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(removed) = model.removed.take() else {
        return;
    };
    let ids: Vec<SessionId> = removed.jobs.iter().map(|job| job.id().clone()).collect();
    requests::remove(&ids, cmds);
    model.toasts.withdraw(&removed.said);
}

/// Drops jobs that somebody else has removed, because they cannot be restored.
pub fn gone(model: &mut Model, is_gone: impl Fn(&SessionId) -> bool) {
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
pub fn updated(removed: &mut Option<Removed>, job: Job) -> Option<Job> {
    let Some(known) = removed else {
        return Some(job);
    };
    if known.take(job.id()).is_none() || job.is_going() {
        return Some(job);
    }
    known.jobs.push(job);
    None
}
