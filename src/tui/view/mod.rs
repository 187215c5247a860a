//! Draws the model. Pure: reads the model and writes a frame.

mod empty;
mod toasts;
mod top;

use ratatui::layout::Rect;

use super::model::layout::Kind;
use super::model::{Link, Model};
use super::{grid, hints, list, pane};
use crate::tui::window::Canvas;

/// Draws the model.
pub fn view(model: &Model, canvas: &mut Canvas) {
    let layout = model.layout();
    if layout.kind == Kind::TooSmall {
        top::too_small(model, canvas);
        return;
    }
    let mode = model.mode();
    let is_covered = model.needs().window;
    if let Some(area) = layout.top.filter(|_| !is_covered) {
        top::draw(model, area, canvas.buffer_mut());
    }
    if is_covered {
        // The mode draws all of it below.
    } else if model.jobs.is_empty() {
        if model.daemon.listed {
            empty::draw(model, body(model), canvas.buffer_mut());
        }
    } else {
        if let Some(area) = layout.list {
            list::draw(model, area, canvas.buffer_mut());
        }
        frame_lines(model, canvas);
        if let Some(area) = layout.list {
            list::draw_edges(model, area, canvas.buffer_mut());
        }
        if let Some(area) = layout.title {
            pane::title::draw(model, area, canvas.buffer_mut());
        }
        if let Some(area) = layout.grid {
            grid::draw::draw(model, area, canvas);
        } else if let Some(area) = layout.pane {
            pane::draw(model, area, canvas);
        }
    }
    if let Some(area) = layout.status {
        match mode.bar(model, area) {
            Some(bar) => bar.draw(area, canvas.buffer_mut()),
            None => mode.status(model, area, canvas),
        }
    }
    if let Some(area) = layout.hints {
        hints::draw(model, area, canvas.buffer_mut());
    }
    if let Some(below) = model.underlay() {
        below.draw(model, body(model), canvas);
    }
    mode.draw(model, body(model), canvas);
    let cursor = canvas.cursor();
    let covered = mode.box_in(model, body(model));
    toasts::draw(model, cursor, covered, canvas.buffer_mut());
    if model.daemon.link == Link::Down {
        top::banner(model, canvas.buffer_mut());
    }
}

/// The area between the top line and the status line.
fn body(model: &Model) -> Rect {
    let layout = model.layout();
    let (width, height) = model.window;
    let y = layout.top.map_or(0, |top| top.bottom());
    let end = layout.status.map_or(height, |status| status.y);
    Rect::new(0, y, width, end.saturating_sub(y))
}

fn frame_lines(model: &Model, canvas: &mut Canvas) {
    let layout = model.layout();
    let theme = &model.theme;
    let buf = canvas.buffer_mut();
    if let Some(rule) = layout.rule {
        let line = theme.glyph("─").repeat(usize::from(rule.width));
        buf.set_string(rule.x, rule.y, line, theme.rule());
    }
    if let Some(divider) = layout.divider {
        for y in divider.top()..divider.bottom() {
            buf.set_string(divider.x, y, theme.glyph("│"), theme.rule());
        }
        if let Some(rule) = layout.rule {
            buf.set_string(divider.x, rule.y, theme.glyph("┬"), theme.rule());
        }
    }
}
