//! Which live screens the view watches.

use crate::protocol::params::{Unwatch, Watch as WatchParams};
use crate::protocol::{Action, SessionId};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::watch::Watch;
use crate::tui::model::{Link, Model};

/// Requested frames per second; the maximum that the view draws.
const MAX_FPS: u32 = 30;

/// Requested frames per second of a tile that is not selected, enough to see that it moves.
/// Otherwise sixteen busy jobs would mean sixteen screens to update for each frame.
const TILE_FPS: u32 = 10;

/// Watches exactly the screens that are shown.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.daemon.link != Link::Up {
        return;
    }
    let wanted = watched(model);
    let gone = |watch: &Watch| wanted.iter().all(|(id, _)| *id != watch.id);
    for watch in model.watches.extract_if(.., |watch| gone(watch)) {
        let session_id = watch.id.to_string();
        cmds.push(Cmd::Request(
            RequestKind::Unwatch,
            Action::Unwatch(Unwatch { session_id }),
        ));
        model.dirty = true;
    }
    // An older daemon would refuse the request.
    let is_known = !model.daemon.is_older;
    let colors = model.answers.colors().filter(|_| is_known);
    for (id, fps) in wanted {
        match model.watches.iter_mut().find(|watch| watch.id == id) {
            Some(watch) if watch.fps == fps && watch.colors.as_ref() == colors => continue,
            // The repeated request sends a full frame at the new rate; the old one is shown until
            // then.
            Some(watch) => (watch.fps, watch.colors) = (fps, colors.cloned()),
            None => {
                model
                    .watches
                    .push(Watch::new(id.clone(), fps, colors.cloned()));
                model.dirty = true;
            }
        }
        let params = WatchParams {
            session_id: id.to_string(),
            max_fps: Some(fps),
            colors: colors.cloned(),
        };
        cmds.push(Cmd::Request(RequestKind::Watch(id), Action::Watch(params)));
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
    let shows = layout.pane.is_some() || model.needs().screen;
    let shown = current.filter(|id| shows && model.job(id).is_some());
    shown.into_iter().map(|id| (id.clone(), MAX_FPS)).collect()
}
