//! Forgets jobs that no longer exist.

use std::collections::HashSet;

use crate::protocol::SessionId;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::mode::Frame;
use crate::tui::modes::normal::quit;
use crate::tui::removal;

/// Forgets jobs that were removed, whether an event, a reply or the list says so. A mode that is about one of them ends.
/// A view that waits for their end before it closes waits no longer.
pub(super) fn forget(model: &mut Model, gone: &[SessionId], cmds: &mut Vec<Cmd>) {
    for id in gone {
        let is_over = model.mode_mut().is_some_and(|mode| mode.forget(id));
        if is_over || model.covered_mut().is_some_and(|mode| mode.forget(id)) {
            let name = model.name_of(id);
            model.leave_all();
            model.pane.scroll = None;
            model.frame = Frame::default();
            model.note(format!("{name} was removed."));
        }
        model.forget_job(id);
    }
    // The list may lack thousands of jobs.
    let is_gone: HashSet<&SessionId> = gone.iter().collect();
    model.jobs.retain(|job| !is_gone.contains(job.id()));
    removal::gone(model, |id| is_gone.contains(id));
    if model.jobs.is_empty() && model.is_normal() {
        model.frame = Frame::default();
    }
    model.list.stale = true;
    model.dirty = true;
    for id in gone {
        quit::ended(model, id, cmds);
    }
}
