//! The screen of a job at a time in the past.

use ratatui::layout::Rect;

use super::{live, paint, time_bar};
use crate::tui::crop;
use crate::tui::model::Model;
use crate::tui::model::rewind::Rewind;
use crate::tui::window::Canvas;

/// Draws the past screen.
pub(super) fn draw(model: &Model, rewind: &Rewind, area: Rect, canvas: &mut Canvas) {
    let Some(screen) = &rewind.screen else {
        return;
    };
    let (area, bar) = crop::split(area);
    if let Some(bar) = bar {
        time_bar::draw(model, rewind, bar, canvas.buffer_mut());
    }
    let crop = crop::crop(screen, area, model.pane.pan, false);
    paint::draw(screen, area, crop, model.theme.panes, canvas);
    live::mark_cut(model, screen, area, crop, canvas.buffer_mut());
    live::mark_rows(model, screen, area, crop, canvas.buffer_mut());
    if let Some(at) = paint::cursor(screen, area, crop)
        && let Some(cell) = canvas.buffer_mut().cell_mut(at)
    {
        cell.modifier.toggle(ratatui::style::Modifier::REVERSED);
    }
}
