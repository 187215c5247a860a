//! Hit testing: what is at a position of the window.

use ratatui::layout::{Position, Rect};

use super::model::Model;
use super::model::grid::Tile;
use crate::protocol::SessionId;

/// What is at a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hit {
    /// A row of the list, by index.
    Row(usize),
    /// The empty part of the list below its rows.
    List,
    /// The divider between list and pane.
    Divider,
    /// The pane of a job, with its area.
    Pane(SessionId, Rect),
    /// The pane of a group.
    Group,
    /// The status line.
    Status(Rect),
    /// The line with the key hints.
    Hints(Rect),
    /// Nothing that reacts to the mouse.
    Nothing,
}

/// What is at a column and row of the window.
pub fn at(model: &Model, col: u16, row: u16) -> Hit {
    let layout = model.layout();
    let place = Position::new(col, row);
    let within = |area: Option<Rect>| area.filter(|area| area.contains(place));
    if let Some(area) = within(layout.status) {
        return Hit::Status(area);
    }
    if let Some(area) = within(layout.hints) {
        return Hit::Hints(area);
    }
    if model.needs().window {
        return Hit::Nothing;
    }
    if within(layout.divider).is_some() {
        return Hit::Divider;
    }
    if let Some(area) = within(layout.list) {
        let at = model.list.top + usize::from(row - area.y);
        return if at < model.list.rows.len() {
            Hit::Row(at)
        } else {
            Hit::List
        };
    }
    match pane_at(model, col, row) {
        Some((id, area)) => Hit::Pane(id, area),
        None if within(layout.pane).is_some() && model.group().is_some() => Hit::Group,
        None => Hit::Nothing,
    }
}

/// The job whose pane or tile is at this position, with the area of the pane.
fn pane_at(model: &Model, col: u16, row: u16) -> Option<(SessionId, Rect)> {
    let place = Position::new(col, row);
    let tiles = model.tiles();
    if !tiles.is_empty() {
        let hit = |tile: &Tile| tile.heading.contains(place) || tile.body.contains(place);
        let (_, id, tile) = tiles.into_iter().find(|(.., tile)| hit(tile))?;
        return Some((id.clone(), tile.body));
    }
    let area = model.layout().pane?;
    let id = model.current_id()?.clone();
    area.contains(place).then_some((id, area))
}
