//! After each message: updates the rows from the jobs, the cursor from the rows, and the watches
//! from the cursor.

use super::log;
use super::msg::{Cmd, Tag};
use super::{card, found, grid, look, usage};
use crate::protocol::params::{Unwatch, Watch as WatchParams};
use crate::protocol::{Action, SessionId};
use crate::tui::model::mode::Mode;
use crate::tui::model::rows::{self, Row};
use crate::tui::model::watch::Watch;
use crate::tui::model::{Link, Model, Selected};

/// Requested frames per second; the maximum that the view draws.
const MAX_FPS: u32 = 30;

/// Requested frames per second of a tile that is not selected, enough to see that it moves.
/// Otherwise sixteen busy jobs would mean sixteen screens to update for each frame.
const TILE_FPS: u32 = 10;

/// Rebuilds the list if something in it has changed.
pub(super) fn settle_rows(model: &mut Model) {
    if std::mem::take(&mut model.stale) {
        model.rows = rows::rows(
            &model.jobs,
            &model.query(),
            &model.folded,
            model.sort,
            &model.origin.cwd,
        );
    }
}

/// Updates everything that depends on other state.
pub(super) fn settle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    super::rewind::settle(model, cmds);
    settle_rows(model);
    // Must run before the cursor moves to the row that replaced a removed one, because in the grid
    // the next tile is selected instead.
    grid::settle(model);
    settle_cursor(model);
    grid::settle(model);
    settle_list_top(model);
    super::reply::settle(model);
    settle_watch(model, cmds);
    look::settle(model);
    card::settle(model, cmds);
    usage::settle(model, cmds);
    found::settle(model, cmds);
    log::settle(model, cmds);
    super::notice::settle_title(model, cmds);
    let display = model.display();
    if let (Some(scroll), Some(display)) = (model.scroll_mut(), display) {
        scroll.resize(display);
    }
}

/// What a row selects.
pub(super) fn selection_of(model: &Model, row: &Row) -> Selected {
    match row {
        Row::Group(group) => Selected::Group(group.key.clone()),
        Row::Job(index) => match model.jobs.get(*index) {
            Some(job) => Selected::Job(job.id().clone()),
            None => Selected::Nothing,
        },
    }
}

fn settle_cursor(model: &mut Model) {
    if let Some(id) = &model.wanted
        && model.job(id).is_some()
    {
        let id = id.clone();
        model.wanted = None;
        super::select::job(model, &id);
    }
    let place = model
        .rows
        .iter()
        .position(|row| selection_of(model, row) == model.selected);
    if let Some(at) = place {
        model.cursor = at;
        return;
    }
    // The selected row is gone: select the row that took its place, preferring a job to its group
    // header.
    let last = model.rows.len().saturating_sub(1);
    let mut at = model.cursor.min(last);
    if model.selected == Selected::Nothing && matches!(model.rows.get(at), Some(Row::Group(_))) {
        at = (at + 1).min(last);
    }
    let next = model
        .rows
        .get(at)
        .map_or(Selected::Nothing, |row| selection_of(model, row));
    if next != model.selected {
        model.selected = next;
        model.selected_at = model.now.ms;
        model.pan = 0;
        model.dirty = true;
    }
    model.cursor = at;
}

/// Scrolls the list as little as needed to show the cursor.
fn settle_list_top(model: &mut Model) {
    let Some(list) = model.layout().list else {
        return;
    };
    let height = usize::from(list.height);
    let last_top = model.rows.len().saturating_sub(height);
    // After scrolling by the wheel, the list stays there until the cursor moves.
    if model.pointer.list_held_at == Some(model.cursor) {
        model.list_top = model.list_top.min(last_top);
        return;
    }
    model.pointer.list_held_at = None;
    let lowest = (model.cursor + 1).saturating_sub(height);
    // Show the header above the first job as well.
    let highest = match model.cursor {
        1 if matches!(model.rows.first(), Some(Row::Group(_))) => 0,
        at => at,
    };
    model.list_top = model
        .list_top
        .min(last_top)
        .clamp(lowest.min(highest), highest);
}

/// Watches exactly the screens that are shown.
fn settle_watch(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.link != Link::Up {
        return;
    }
    let wanted = watched(model);
    let gone = |watch: &Watch| wanted.iter().all(|(id, _)| *id != watch.id);
    for watch in model.watches.extract_if(.., |watch| gone(watch)) {
        let session_id = watch.id.to_string();
        cmds.push(Cmd::Ask(
            Tag::Unwatch,
            Action::Unwatch(Unwatch { session_id }),
        ));
        model.dirty = true;
    }
    for (id, fps) in wanted {
        match model.watches.iter_mut().find(|watch| watch.id == id) {
            Some(watch) if watch.fps == fps => continue,
            // The repeated request sends a full frame at the new rate; the old one is shown until
            // then.
            Some(watch) => watch.fps = fps,
            None => {
                model.watches.push(Watch::new(id.clone(), fps));
                model.dirty = true;
            }
        }
        let params = WatchParams {
            session_id: id.to_string(),
            max_fps: Some(fps),
        };
        cmds.push(Cmd::Ask(Tag::Watch(id), Action::Watch(params)));
    }
}

/// The jobs whose screens are shown, with their frames per second.
fn watched(model: &Model) -> Vec<(SessionId, u32)> {
    let layout = model.layout();
    let current = model.current_id();
    if layout.grid.is_some() {
        let fps = |id: &SessionId| {
            if Some(id) == current {
                MAX_FPS
            } else {
                TILE_FPS
            }
        };
        let tiles = model.tiles().into_iter();
        return tiles.map(|(_, id, _)| (id.clone(), fps(id))).collect();
    }
    // A reply shows the last lines of its job, even if no pane is visible.
    let shows = layout.pane.is_some() || matches!(model.mode, Mode::Reply(_));
    let shown = current.filter(|id| shows && model.job(id).is_some());
    shown.into_iter().map(|id| (id.clone(), MAX_FPS)).collect()
}
