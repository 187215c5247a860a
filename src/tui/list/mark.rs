//! Marks jobs; verbs act on all marked ones.

use super::reconcile::reconcile_rows;
use crate::protocol::SessionId;
use crate::tui::model::rows::Row;
use crate::tui::model::{Model, Selected};

/// Toggles the mark of the selected job, or of all jobs of the selected group.
pub fn toggle(model: &mut Model) {
    // Several keys may arrive in one read.
    reconcile_rows(model);
    let ids: Vec<SessionId> = match &model.list.selected {
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
pub fn all(model: &mut Model) {
    reconcile_rows(model);
    let shown: Vec<SessionId> = model
        .list
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
    if ids.iter().all(|id| model.list.marked.contains(id)) {
        model.list.marked.retain(|id| !ids.contains(id));
    } else {
        model.list.marked.extend(ids.iter().cloned());
    }
}
