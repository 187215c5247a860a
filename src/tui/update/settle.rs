//! After each message: the rows follow the jobs, the cursor follows the rows, and what is watched follows the cursor.

use super::msg::{Cmd, Tag};
use crate::protocol::Action;
use crate::protocol::params::{Unwatch, Watch as WatchParams};
use crate::tui::model::mode::Mode;
use crate::tui::model::rows::{self, Row};
use crate::tui::model::watch::Watch;
use crate::tui::model::{Link, Model, Selected};

/// Frames a second asked of the daemon: what the view draws at most.
const MAX_FPS: u32 = 30;

/// Sorts the list anew, if something in it has changed.
pub(super) fn settle_rows(model: &mut Model) {
    if std::mem::take(&mut model.stale) {
        model.rows = rows::rows(
            &model.jobs,
            &model.query(),
            &model.folded,
            &model.origin.cwd,
        );
    }
}

/// Brings what depends on something else up to date.
pub(super) fn settle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    settle_rows(model);
    settle_cursor(model);
    settle_list_top(model);
    super::reply::settle(model);
    settle_watch(model, cmds);
    super::notice::settle_title(model, cmds);
    let size = model.pane_size();
    if let (Mode::Scroll(scroll, _), Some(size)) = (&mut model.mode, size) {
        scroll.resize(size);
    }
}

/// What a row stands for.
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
    // What was selected is gone: the row that took its place, a job rather than the header of its group.
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

/// Scrolls the list by as little as shows the cursor.
fn settle_list_top(model: &mut Model) {
    let Some(list) = model.layout().list else {
        return;
    };
    let height = usize::from(list.height);
    let last_top = model.rows.len().saturating_sub(height);
    let lowest = (model.cursor + 1).saturating_sub(height);
    // The header above the first job is worth a row.
    let highest = match model.cursor {
        1 if matches!(model.rows.first(), Some(Row::Group(_))) => 0,
        at => at,
    };
    model.list_top = model
        .list_top
        .min(last_top)
        .clamp(lowest.min(highest), highest);
}

fn settle_watch(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.link != Link::Up {
        return;
    }
    let wanted = model
        .current_id()
        .filter(|id| model.job(id).is_some())
        .cloned();
    let watched = model.watch.as_ref().map(|watch| watch.id.clone());
    if wanted == watched {
        return;
    }
    if let Some(id) = watched {
        let session_id = id.to_string();
        cmds.push(Cmd::Ask(
            Tag::Unwatch,
            Action::Unwatch(Unwatch { session_id }),
        ));
    }
    model.watch = wanted.map(|id| {
        let params = WatchParams {
            session_id: id.to_string(),
            max_fps: Some(MAX_FPS),
        };
        cmds.push(Cmd::Ask(Tag::Watch(id.clone()), Action::Watch(params)));
        Watch::new(id)
    });
    model.dirty = true;
}
