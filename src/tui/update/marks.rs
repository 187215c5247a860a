//! Marked jobs; verbs act on all of them.

use super::settle::settle_rows;
use super::{insert, select};
use crate::protocol::SessionId;
use crate::tui::model::rows::Row;
use crate::tui::model::{Model, Selected};

/// Toggles the mark of the selected job, or of all jobs of the selected group.
pub(super) fn toggle(model: &mut Model) {
    // Several keys may arrive in one read.
    settle_rows(model);
    let ids: Vec<SessionId> = match &model.selected {
        Selected::Nothing => Vec::new(),
        Selected::Job(id) => vec![id.clone()],
        Selected::Group(_) => model.of_group(),
    };
    if ids.is_empty() {
        model.note("There is no job to mark.");
        return;
    }
    flip(model, &ids);
}

/// Marks all listed jobs, or unmarks them if all of them are marked.
pub(super) fn all(model: &mut Model) {
    settle_rows(model);
    let shown: Vec<SessionId> = model
        .rows
        .iter()
        .filter_map(|row| match row {
            Row::Job(index) => Some(vec![model.jobs.get(*index)?.id().clone()]),
            Row::Group(group) if group.folded => {
                let jobs = group.jobs.iter().filter_map(|&index| model.jobs.get(index));
                Some(jobs.map(|job| job.id().clone()).collect())
            }
            Row::Group(_) => None,
        })
        .flatten()
        .collect();
    flip(model, &shown);
}

/// Marks these jobs, or unmarks them if all of them are marked.
fn flip(model: &mut Model, ids: &[SessionId]) {
    if ids.iter().all(|id| model.marked.contains(id)) {
        model.marked.retain(|id| !ids.contains(id));
    } else {
        model.marked.extend(ids.iter().cloned());
    }
}

/// Types into all marked jobs that are alive, showing the selected one; names those left out.
pub(super) fn type_all(model: &mut Model) {
    let marked = model.marked();
    if marked.is_empty() {
        model.note(format!(
            "No job is marked. {} marks one, {} all that show.",
            model.key("space"),
            model.key("*")
        ));
        return;
    }
    let is_alive = |id: &SessionId| model.job(id).is_some_and(|job| job.is_alive());
    let (mut alive, ended): (Vec<_>, Vec<_>) = marked.into_iter().partition(is_alive);
    if alive.is_empty() {
        model.note("All marked jobs have ended already.");
        return;
    }
    if !ended.is_empty() {
        let names: Vec<String> = ended.iter().map(|id| model.name_of(id)).collect();
        let have = if ended.len() == 1 { "has" } else { "have" };
        model.note(format!("Left out: {} {have} ended.", names.join(", ")));
    }
    let current = model.current_id();
    let first = alive.iter().position(|id| Some(id) == current);
    let first = alive.remove(first.unwrap_or(0));
    select::to(model, Selected::Job(first.clone()));
    insert::enter_all(model, first, alive);
}
