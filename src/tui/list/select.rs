//! Moves the selection of the list.

use super::reconcile::{reconcile_rows, selection_of};
use crate::protocol::SessionId;
use crate::tui::crop::Pan;
use crate::tui::model::job::Job;
use crate::tui::model::layout::Kind;
use crate::tui::model::rows::{self, Row};
use crate::tui::model::{Model, Selected};
use crate::tui::state::State;

/// How long a job must be selected to be remembered as the previous one while the cursor moves row
/// by row, in milliseconds.
const STAY_MS: i64 = 1000;

/// Selects a row.
pub fn row(model: &mut Model, at: usize) {
    let at = at.min(model.list.rows.len().saturating_sub(1));
    let Some(next) = model.list.rows.get(at).map(|row| selection_of(model, row)) else {
        return;
    };
    to(model, next);
    model.list.cursor = at;
}

/// Moves to a row without remembering jobs that were selected only briefly.
fn walk(model: &mut Model, at: usize) {
    let before = model.list.previous.clone();
    let passes = model.now.ms.saturating_sub(model.list.selected_at) < STAY_MS;
    row(model, at);
    if passes {
        model.list.previous = before;
    }
}

/// Selects a job; unfolds its group and clears a filter that hides it.
pub fn job(model: &mut Model, id: &SessionId) {
    let Some(job) = model.job(id) else {
        return;
    };
    let (key, _) = rows::group_of(job);
    if !model.query().matches(job) {
        model.list.filter.clear();
        model.list.stale = true;
    }
    // A filter shows all groups unfolded.
    if model.query().is_empty() && model.list.folded.remove(&key) {
        model.list.stale = true;
    }
    reconcile_rows(model);
    to(model, Selected::Job(id.clone()));
}

/// While a filter is typed: selects the job that matches best. A selected job that matches as well
/// stays selected.
pub fn best_match(model: &mut Model) {
    reconcile_rows(model);
    let query = model.query();
    let job_at = |row: &Row| match row {
        Row::Job(index) => model.jobs.get(*index),
        Row::Group(_) => None,
    };
    let places = model.list.rows.iter().enumerate();
    let ranks = places.filter_map(|(at, row)| Some((query.rank(job_at(row)?)?, at)));
    let Some((best, at)) = ranks.min() else {
        return;
    };
    let is_best = |job: &Job| query.rank(job) == Some(best);
    let listed = model.list.rows.iter().filter_map(job_at);
    let keeps = listed
        .filter(|job| is_best(job))
        .any(|job| model.list.selected == Selected::Job(job.id().clone()));
    if !keeps {
        row(model, at);
    }
}

/// Moves the cursor by one row and stops at the ends.
pub fn step(model: &mut Model, down: bool) {
    let at = if down {
        model.list.cursor.saturating_add(1)
    } else {
        model.list.cursor.saturating_sub(1)
    };
    walk(model, at);
}

/// Selects what was selected in the last view, or before the list was filtered, if it has a row. The group of a job in
/// a folded group is selected instead.
pub fn restore(model: &mut Model, wanted: Selected) {
    reconcile_rows(model);
    let group = match &wanted {
        Selected::Job(id) => model
            .job(id)
            .map(|job| Selected::Group(rows::group_of(job).0)),
        _ => None,
    };
    let has_row = |one: &Selected| {
        let mut rows = model.list.rows.iter();
        rows.any(|row| selection_of(model, row) == *one)
    };
    let is_shown = |one: &Selected| *one != Selected::Nothing && has_row(one);
    if let Some(next) = [Some(wanted), group].into_iter().flatten().find(is_shown) {
        to(model, next);
    }
}

/// Whether the list is shown and has more rows than fit.
pub fn is_cut(model: &Model) -> bool {
    let height = model.layout().list.map(|list| usize::from(list.height));
    height.is_some_and(|height| model.list.rows.len() > height)
}

/// Moves the cursor by a page and scrolls the list along, so that the cursor keeps its place in the
/// window. One row of the page before stays visible.
pub fn page(model: &mut Model, down: bool) {
    let height = model.layout().list.map_or(1, |list| list.height);
    let rows = usize::from(height).max(2) - 1;
    let (top, at) = if down {
        (model.list.top + rows, model.list.cursor + rows)
    } else {
        (
            model.list.top.saturating_sub(rows),
            model.list.cursor.saturating_sub(rows),
        )
    };
    model.list.top = top;
    walk(model, at);
}

/// Selects the job with this number in the list, not counting headers.
pub fn pick(model: &mut Model, number: usize) {
    let place = model
        .list
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| matches!(row, Row::Job(_)))
        .nth(number.saturating_sub(1))
        .map(|(at, _)| at);
    match place {
        Some(at) => row(model, at),
        None => model.note(format!("There is no job {number} in the list.")),
    }
}

/// Selects the next job that needs attention: those that a toast tells of, the newest
/// first; then those waiting for a password, then for a line, then those with a question of an agent, then failed ones
/// that nobody has looked at, then other failed ones, then skipped ones. In the stack, opens its pane.
pub fn alert(model: &mut Model) {
    let current = model.current_id().cloned();
    model.expire_alerts();
    let told = model.alerts.jobs().next().cloned();
    if let Some(id) = told.filter(|id| model.job(id).is_some()) {
        job(model, &id);
        if model.layout().kind == Kind::Stack {
            model.frame.open = true;
        }
        return;
    }
    const NEW: u8 = 3;
    const LOOKED_AT: u8 = 4;
    let rank = |job: &Job| match job.state() {
        State::NeedsPassword => Some(0),
        State::NeedsInput | State::Blocked => Some(1),
        State::Asked => Some(2),
        State::Skipped => Some(5),
        _ if model.is_new_failure(job) => Some(NEW),
        state if state.keeps_ending() => Some(LOOKED_AT),
        state => state.failed().then_some(LOOKED_AT),
    };
    let jobs = model.jobs.iter();
    let mut alerts: Vec<_> = jobs
        .filter_map(|job| Some((rank(job)?, job.record.summary.created_at, job.id())))
        .collect();
    alerts.sort();
    let at = alerts
        .iter()
        .position(|(.., id)| Some(*id) == current.as_ref());
    // What was looked at is gone through when nothing new is left.
    let has_new = alerts.iter().any(|(rank, ..)| *rank == NEW);
    let goes_on = |at: &usize| !has_new || alerts[*at].0 < LOOKED_AT;
    let next = match at.filter(goes_on) {
        Some(at) => alerts.get((at + 1) % alerts.len()),
        None => alerts.first(),
    };
    let Some(id) = next.map(|(.., id)| (*id).clone()) else {
        model.note("No job needs attention.");
        return;
    };
    if Some(&id) == current.as_ref() {
        model.note("No other job needs attention.");
    }
    job(model, &id);
    if model.layout().kind == Kind::Stack {
        model.frame.open = true;
    }
}

/// Selects the previous job.
pub fn previous(model: &mut Model) {
    match model
        .list
        .previous
        .clone()
        .filter(|id| model.job(id).is_some())
    {
        Some(id) => job(model, &id),
        None => model.note("There is no previous job."),
    }
}

/// Selects something and remembers the job that was selected before.
pub fn to(model: &mut Model, next: Selected) {
    if next == model.list.selected {
        return;
    }
    if let Selected::Job(id) = &model.list.selected {
        model.list.previous = Some(id.clone());
    }
    model.list.selected = next;
    model.list.selected_at = model.now.ms;
    model.pane.pan = Pan::default();
    // What is done next with the same key is done to the log of the selected job.
    model.close_other_log();
    model.dirty = true;
}

/// Switches to the next sort order.
pub fn sort(model: &mut Model) {
    model.list.sort = model.list.sort.next();
    model.list.stale = true;
    let text = format!("Sorted by {}.", model.list.sort.name());
    model.note_state("sort".to_owned(), text, None);
}
