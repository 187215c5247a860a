//! What the window shows of a job: opening it, zooming into it, and the way back.

use super::{obstacle, quit};
use crate::tui::list::fold;
use crate::tui::model::layout::Kind;
use crate::tui::model::mode::Frame;
use crate::tui::model::{Model, Selected};
use crate::tui::modes::{filter, insert};
use crate::tui::pane::group;

/// Enter: unfolds a group, opens the pane in the stack, and otherwise zooms into the job and types.
pub fn attach(model: &mut Model) {
    if let Selected::Group(key) = &model.list.selected {
        let close = !model.list.folded.contains(key);
        fold::group(model, close);
        return;
    }
    if model.current().is_none() {
        model.note_no_job(format!(
            "There is no job to attach to. {} starts one.",
            model.key("n")
        ));
        return;
    }
    let stack_list = model.layout().kind == Kind::Stack && !model.frame.open;
    if stack_list || model.options.read_only {
        model.frame = Frame {
            zoom: model.frame.zoom || !stack_list,
            open: true,
            grid: model.frame.grid,
        };
    } else {
        start_typing(model, true);
    }
}

/// Types into the current job, if it has started.
pub(super) fn start_typing(model: &mut Model, zoom: bool) {
    match obstacle::not_started(model) {
        Some(why) => model.note(why),
        None => insert::enter(model, zoom),
    }
}

/// Shows the pane alone, or the list beside it again.
pub(super) fn zoom(model: &mut Model) {
    if model.current().is_none() {
        model.note_no_job("There is no job to zoom into.");
        return;
    }
    model.frame.zoom = !model.frame.zoom;
    model.leave_attached();
}

/// Undoes one step: messages that stay, zoom, the pane of the stack, filter, marks. Never closes the
/// view.
pub(super) fn back(model: &mut Model) {
    if model.toasts.dismiss() {
        return;
    }
    if quit::stay(model) {
        model.note("The view stays open; the jobs are still being stopped.");
        return;
    }
    if model
        .pane
        .scroll
        .take_if(|scroll| !scroll.follows)
        .is_some()
    {
        return;
    }
    if group::is_shown(model) && std::mem::take(&mut model.pane.merged.up) > 0 {
        return;
    }
    if model.frame.zoom {
        model.frame.zoom = false;
        model.leave_attached();
    } else if model.frame.grid {
        model.frame.grid = false;
    } else if model.frame.open && model.layout().kind == Kind::Stack {
        model.frame.open = false;
    } else if !model.list.filter.is_empty() {
        filter::clear(model);
    } else if !model.list.marked.is_empty() {
        model.list.marked.clear();
    }
}
