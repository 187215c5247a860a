//! The screen of a job at a time in the past.

use ratatui::layout::Rect;

use super::{live, paint};
use crate::tui::model::Model;
use crate::tui::model::rewind::Rewind;
use crate::tui::window::Canvas;

/// Draws the past screen.
pub(super) fn draw(model: &Model, rewind: &Rewind, area: Rect, canvas: &mut Canvas) {
    let Some(screen) = &rewind.screen else {
        return;
    };
    let crop = paint::crop(screen, area, model.pan, false);
    paint::draw(screen, area, crop, model.theme.mono, canvas);
    live::mark_rows(model, screen, area, crop, canvas.buffer_mut());
    if let Some(at) = paint::cursor(screen, area, crop)
        && let Some(cell) = canvas.buffer_mut().cell_mut(at)
    {
        cell.modifier.toggle(ratatui::style::Modifier::REVERSED);
    }
}
