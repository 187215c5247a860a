//! After each message: updates the rows from the jobs, and the cursor from the rows.

use super::select;
use crate::tui::crop::Pan;
use crate::tui::model::rows::{self, Row};
use crate::tui::model::{Model, Selected};

/// Rebuilds the list if something in it has changed.
pub fn reconcile_rows(model: &mut Model) {
    if std::mem::take(&mut model.list.stale) {
        model.list.rows = rows::rows(
            &model.jobs,
            (&model.hosts, &model.queues),
            &model.query(),
            &model.list.folded,
            model.list.sort,
            &model.origin.cwd,
        );
    }
}

/// What a row selects.
pub fn selection_of(model: &Model, row: &Row) -> Selected {
    match row {
        Row::Group(group) => Selected::Group(group.key.clone()),
        Row::Job(index) => match model.jobs.get(*index) {
            Some(job) => Selected::Job(job.id().clone()),
            None => Selected::Nothing,
        },
    }
}

/// Finds the row of the selection; if it is gone, selects the row that took its place.
pub fn reconcile_cursor(model: &mut Model) {
    if let Some(id) = &model.wanted
        && model.job(id).is_some()
    {
        let id = id.clone();
        model.wanted = None;
        select::job(model, &id);
    }
    let place = model
        .list
        .rows
        .iter()
        .position(|row| selection_of(model, row) == model.list.selected);
    if let Some(at) = place {
        model.list.cursor = at;
        return;
    }
    // The selected row is gone: select the row that took its place.
    let at = model
        .list
        .cursor
        .min(model.list.rows.len().saturating_sub(1));
    let at = match model.list.selected {
        Selected::Group(_) => at,
        _ => nearest_job(model, at).unwrap_or(at),
    };
    let next = model
        .list
        .rows
        .get(at)
        .map_or(Selected::Nothing, |row| selection_of(model, row));
    if next != model.list.selected {
        model.list.selected = next;
        model.list.selected_at = model.now.ms;
        model.pane.pan = Pan::default();
        model.dirty = true;
    }
    model.list.cursor = at;
    // The list says why it is empty; nothing is left to zoom into.
    let is_left =
        model.list.selected == Selected::Nothing && model.daemon.listed && model.is_normal();
    if is_left && (model.frame.zoom || model.frame.open) {
        model.frame.zoom = false;
        model.frame.open = false;
        model.dirty = true;
    }
}

/// The row of a job that is nearest to a place, of two the one above. A header is no substitute for a job: a verb would
/// act on all of its group.
fn nearest_job(model: &Model, place: usize) -> Option<usize> {
    let rows = model.list.rows.iter().enumerate();
    let jobs = rows.filter(|(_, row)| matches!(row, Row::Job(_)));
    jobs.map(|(at, _)| at).min_by_key(|at| at.abs_diff(place))
}

/// Scrolls the list as little as needed to show the cursor.
pub fn reconcile_top(model: &mut Model) {
    let Some(list) = model.layout().list else {
        return;
    };
    let height = usize::from(list.height);
    let last_top = model.list.rows.len().saturating_sub(height);
    // After scrolling by the wheel, the list stays there until the cursor moves.
    if model.pointer.list_held_at == Some(model.list.cursor) {
        model.list.top = model.list.top.min(last_top);
        return;
    }
    model.pointer.list_held_at = None;
    let lowest = (model.list.cursor + 1).saturating_sub(height);
    // Show the header above the first job as well.
    let highest = match model.list.cursor {
        1 if matches!(model.list.rows.first(), Some(Row::Group(_))) => 0,
        at => at,
    };
    model.list.top = model
        .list
        .top
        .min(last_top)
        .clamp(lowest.min(highest), highest);
}
