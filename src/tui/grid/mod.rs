//! The grid: many panes at once. Looking never resizes a job; typing gives the job the size of its
//! tile.

pub mod draw;
mod keys;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use std::collections::HashSet;

pub use self::keys::Action;
use crate::protocol::SessionId;
use crate::tui::list::reconcile::reconcile_rows;
use crate::tui::list::select;
use crate::tui::model::grid::{Grid, Shape};
use crate::tui::model::job::Job;
use crate::tui::model::rows::Row;
use crate::tui::model::{Model, Selected};

/// Tile counts that `+` and `-` step through; each of them fills a rectangle.
const STEPS: [usize; 8] = [1, 2, 3, 4, 6, 9, 12, 16];

/// How long a job that has ended keeps its tile when a running job needs one, in milliseconds.
const LINGER_MS: i64 = 10_000;

/// Toggles between the grid and list with pane.
pub fn toggle(model: &mut Model) {
    if model.in_grid() {
        model.frame.grid = false;
        return;
    }
    if !model.has_room_for_grid() {
        model.note("The grid needs a larger window.");
        return;
    }
    let grid = open(model);
    if grid.jobs.is_empty() {
        model.note("There is no job to show in a grid.");
        return;
    }
    model.grid = grid;
    model.frame.grid = true;
    model.frame.zoom = false;
    model.leave_attached();
    let selected = model.current_id().and_then(|id| model.grid.index(id));
    to(model, selected.unwrap_or(0));
}

/// A grid of the marked jobs; if there are none, of the listed jobs, alive ones first.
fn open(model: &mut Model) -> Grid {
    let wanted = model.grid.wanted;
    let of_marked = !model.list.marked.is_empty();
    if of_marked && !model.list.folded.is_empty() {
        // A tile whose row is hidden could not be selected.
        model.list.folded.clear();
        model.list.stale = true;
        reconcile_rows(model);
    }
    let mut jobs = listed(model);
    if of_marked {
        jobs.retain(|id| model.list.marked.contains(id));
    } else {
        jobs.sort_by_key(|id| model.job(id).is_none_or(|job| !job.is_going()));
    }
    Grid {
        jobs,
        of_marked,
        wanted,
        at: 0,
    }
}

/// `5-8 of 9`: the jobs on the page of tiles that is shown, if there are more.
pub fn page(model: &Model) -> Option<String> {
    let tiles = model.tiles();
    let (first, last, all) = (tiles.first()?.0, tiles.last()?.0, model.grid.jobs.len());
    match tiles.len() == all {
        true => None,
        false if first == last => Some(format!("{} of {all}", first + 1)),
        false => Some(format!("{}-{} of {all}", first + 1, last + 1)),
    }
}

/// Shows more or fewer tiles.
fn tiles(model: &mut Model, more: bool) {
    let Some(area) = model.layout().grid else {
        return;
    };
    let now = model.grid.shape(area).map_or(1, |shape| shape.tiles());
    let most = Grid::capacity(area);
    // A step may have the shape of the one before, which holds a few more tiles than asked for.
    let shown = |n: usize| Shape::of(n, area).map_or(n, Shape::tiles);
    let next = if more {
        STEPS.into_iter().find(|&n| n > now)
    } else {
        STEPS.into_iter().rev().find(|&n| n < now && shown(n) < now)
    };
    match next {
        // A shape that holds the last step may hold a few more.
        None if more => model.note(format!("The grid shows at most {now} tiles.")),
        None => model.note("The grid shows at least one tile."),
        Some(_) if more && now >= model.grid.jobs.len() => model.note("All jobs are shown."),
        Some(n) if n > most => model.note("More tiles would be too small to be read."),
        Some(n) => model.grid.wanted = Some(n),
    }
}

/// Moves to the next tile in a direction.
fn step(model: &mut Model, dx: i16, dy: i16) {
    let shape = model.layout().grid.and_then(|area| model.grid.shape(area));
    let (Some(shape), Some(at)) = (shape, here(model)) else {
        return;
    };
    if let Some(next) = model.grid.step(at, shape, dx, dy) {
        to(model, next);
    }
}

/// Performs an action of the grid.
pub fn act(model: &mut Model, action: Action) {
    match action {
        Action::Left => step(model, -1, 0),
        Action::Right => step(model, 1, 0),
        Action::Down => step(model, 0, 1),
        Action::Up => step(model, 0, -1),
        Action::MoreTiles => tiles(model, true),
        Action::FewerTiles => tiles(model, false),
    }
}

/// Selects the first tile.
pub fn first(model: &mut Model) {
    to(model, 0);
}

/// Selects the last tile.
pub fn last(model: &mut Model) {
    to(model, model.grid.jobs.len().saturating_sub(1));
}

/// Selects the tile with this number.
pub fn pick(model: &mut Model, number: usize) {
    match number
        .checked_sub(1)
        .filter(|&at| at < model.grid.jobs.len())
    {
        Some(at) => to(model, at),
        None => model.note(format!("There is no tile {number}.")),
    }
}

/// After each message: updates the tiles from the jobs, and keeps the selection on a tile.
pub fn reconcile(model: &mut Model) {
    if !model.frame.grid {
        return;
    }
    let listed = listed(model);
    let mut jobs = std::mem::take(&mut model.grid.jobs);
    let before = jobs.len();
    let is_listed: HashSet<&SessionId> = listed.iter().collect();
    jobs.retain(|id| is_listed.contains(id));
    if !model.grid.of_marked {
        let has_tile: HashSet<SessionId> = jobs.iter().cloned().collect();
        jobs.extend(listed.iter().filter(|id| !has_tile.contains(id)).cloned());
    }
    model.dirty |= jobs.len() != before;
    model.grid.jobs = jobs;
    prefer_alive(model);
    if let Some(at) = here(model) {
        model.grid.at = at;
        return;
    }
    if model.grid.jobs.is_empty() {
        model.frame.grid = false;
        return;
    }
    let is_listed = |id: &SessionId| model.list.rows.iter().any(|row| is_row_of(model, row, id));
    match &model.list.selected {
        // Something else selected a job without a tile: leave the grid to show it.
        Selected::Job(id) if is_listed(id) => model.frame.grid = false,
        _ => to(model, model.grid.at.min(model.grid.jobs.len() - 1)),
    }
}

/// If not all jobs fit on the first page, moves those that are alive there, in place of jobs that ended a while ago.
/// The selected tile stays.
fn prefer_alive(model: &mut Model) {
    let shape = model.layout().grid.and_then(|area| model.grid.shape(area));
    let tiles = shape.map_or(usize::MAX, Shape::tiles);
    if model.grid.of_marked || model.grid.jobs.len() <= tiles {
        return;
    }
    let job = |at: usize| model.job(&model.grid.jobs[at]);
    let is_here = |at: usize| Some(&model.grid.jobs[at]) == model.current_id();
    let is_over = |at: usize| {
        // One that waits for its next run is alive.
        let ended = job(at).filter(|job| !job.is_going());
        let ago = ended.and_then(|job| job.since_end(model.now.ms));
        ago.is_some_and(|ago| ago >= LINGER_MS)
    };
    let hidden = (tiles..model.grid.jobs.len()).filter(|&at| job(at).is_some_and(Job::is_going));
    let over = (0..tiles).rev().filter(|&at| is_over(at));
    let pairs = hidden
        .filter(|&at| !is_here(at))
        .zip(over.filter(|&at| !is_here(at)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    for (hidden, over) in pairs {
        model.grid.jobs.swap(hidden, over);
        model.dirty = true;
    }
}

/// Index of the selected job in the grid.
fn here(model: &Model) -> Option<usize> {
    model.current_id().and_then(|id| model.grid.index(id))
}

fn to(model: &mut Model, at: usize) {
    if let Some(id) = model.grid.jobs.get(at).cloned() {
        select::job(model, &id);
        model.grid.at = at;
    }
}

fn is_row_of(model: &Model, row: &Row, id: &SessionId) -> bool {
    match row {
        Row::Job(index) => model.jobs.get(*index).is_some_and(|job| job.id() == id),
        Row::Group(_) => false,
    }
}

/// The jobs that the list shows, in its order.
fn listed(model: &Model) -> Vec<SessionId> {
    let jobs = model.list.rows.iter().filter_map(|row| match row {
        Row::Job(index) => model.jobs.get(*index),
        Row::Group(_) => None,
    });
    jobs.map(|job| job.id().clone()).collect()
}
