//! Handles the list of all jobs.

use std::collections::{HashMap, HashSet};

use super::gone::forget;
use super::{away, seen};
use crate::protocol::reply::Listed;
use crate::protocol::{Error, Record, SessionId};
use crate::tui::list::select;
use crate::tui::message::{Cmd, Exit};
use crate::tui::model::job::Job;
use crate::tui::model::mode::Frame;
use crate::tui::model::{Attached, Model, Selected};
use crate::tui::modes::normal::quit;
use crate::tui::modes::scroll::rewind;
use crate::tui::modes::{insert, scroll};
use crate::tui::{keyboard, removal};

/// Handles the list.
pub(super) fn received(model: &mut Model, listed: Listed<Record>, cmds: &mut Vec<Cmd>) {
    model.hosts = listed.hosts;
    replace_jobs(model, listed.sessions, cmds);
    if !std::mem::replace(&mut model.daemon.listed, true) {
        first_listed(model, cmds);
    }
    quit::again(model, cmds);
    if let Attached::Awaited(id) = model.attached.clone() {
        attach(model, id, cmds);
    }
}

/// Replaces all jobs by the listed ones. What the view knows of a job beside its record is kept.
fn replace_jobs(model: &mut Model, records: Vec<Record>, cmds: &mut Vec<Cmd>) {
    let (now, home) = (model.now.ms, model.origin.home.clone());
    let listed: HashSet<SessionId> = records
        .iter()
        .map(|record| record.summary.session_id.clone())
        .collect();
    let removed = model.removed.iter().flat_map(|removed| &removed.jobs);
    let known = model.jobs.iter().chain(removed).map(Job::id);
    // Removed jobs that can still be restored are still listed by the daemon.
    let gone = known.filter(|id| !listed.contains(*id));
    let gone: Vec<SessionId> = gone.cloned().collect();
    forget(model, &gone, cmds);
    let before = std::mem::take(&mut model.jobs).into_iter();
    let before: HashMap<SessionId, Job> = before.map(|job| (job.id().clone(), job)).collect();
    model.jobs = records
        .into_iter()
        .map(|record| {
            let mut job = Job::new(record, now, home.as_deref());
            if let Some(known) = before.get(job.id()) {
                job.keep(known);
            }
            job
        })
        .filter_map(|job| removal::updated(&mut model.removed, job))
        .collect();
    // Of those that were seen in earlier views, some are gone, too.
    model.seen.retain(|id| listed.contains(id));
    // A job that had ended and runs now was restarted while no events arrived.
    for (id, _) in before.iter().filter(|(_, job)| !job.is_going()) {
        if model.holds_keyboard(id) {
            keyboard::restarted(model, id, cmds);
        }
    }
    model.usage.touch(now);
    model.list.stale = true;
    model.dirty = true;
}

/// With the first list of a view: welcomes a new person, tells what has happened since the last view, and selects.
fn first_listed(model: &mut Model, cmds: &mut Vec<Cmd>) {
    // Once for each person: not if there was a view before.
    if model.jobs.is_empty() && model.last_open.is_none() {
        let quit = model.key("q");
        model.note(format!("{quit} closes this view, jobs keep running"));
    }
    if model.last_open.is_none() {
        seen::first(model);
    }
    away::request(model, cmds);
    let remembered = std::mem::take(&mut model.list.remembered);
    select::restore(model, remembered);
    // A filter that was typed before there was a list looks for a job.
    if !model.list.filter.is_empty() && matches!(model.list.selected, Selected::Group(_)) {
        select::best_match(model);
    }
}

/// Opens the job that the view was opened for.
fn attach(model: &mut Model, id: SessionId, cmds: &mut Vec<Cmd>) {
    if model.job(&id).is_none() {
        let error = Error::session_not_found(id.as_str());
        cmds.push(Cmd::Quit(Exit::Failed(error)));
        return;
    }
    model.list.selected = Selected::Job(id.clone());
    model.list.selected_at = model.now.ms;
    model.frame = Frame {
        zoom: true,
        open: true,
        grid: false,
    };
    model.attached = Attached::Yes(id);
    if let Some(replay) = model.options.replay {
        scroll::enter(model, false, cmds);
        rewind::replay(model, replay, cmds);
    } else if !model.options.read_only {
        insert::enter(model, true);
    }
}
