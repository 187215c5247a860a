//! Draws the model. Pure: reads the model and writes a frame.

mod empty;
mod toasts;
mod top;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::model::layout::Kind;
use super::model::{Link, Model};
use super::{grid, hints, list, pane};

/// Draws the model.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    // The window may have shrunk since the last resize message; another one will follow.
    let (width, height) = model.window;
    if width > frame.area().width || height > frame.area().height {
        return;
    }
    let layout = model.layout();
    if layout.kind == Kind::TooSmall {
        top::too_small(model, frame);
        return;
    }
    let mode = model.mode();
    let is_covered = mode.needs().window;
    if let Some(area) = layout.top.filter(|_| !is_covered) {
        top::draw(model, area, frame.buffer_mut());
    }
    if is_covered {
        // The mode draws all of it below.
    } else if model.jobs.is_empty() {
        if model.listed {
            empty::draw(model, body(model), frame.buffer_mut());
        }
    } else {
        if let Some(area) = layout.list {
            list::draw(model, area, frame.buffer_mut());
        }
        frame_lines(model, frame);
        if let Some(area) = layout.list {
            list::draw_edges(model, area, frame.buffer_mut());
        }
        if let Some(area) = layout.title {
            pane::title(model, area, frame.buffer_mut());
        }
        if let Some(area) = layout.grid {
            grid::draw::draw(model, area, frame);
        } else if let Some(area) = layout.pane {
            pane::draw(model, area, frame);
        }
    }
    if let Some(area) = layout.status {
        match mode.bar(model, area) {
            Some(bar) => bar.draw(area, frame.buffer_mut()),
            None => mode.status(model, area, frame),
        }
    }
    if let Some(area) = layout.hints {
        hints::draw(model, area, frame.buffer_mut());
    }
    mode.draw(model, body(model), frame);
    toasts::draw(model, frame.buffer_mut());
    if model.link == Link::Down {
        top::banner(model, frame.buffer_mut());
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

fn frame_lines(model: &Model, frame: &mut Frame<'_>) {
    let layout = model.layout();
    let theme = &model.theme;
    let buf = frame.buffer_mut();
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
