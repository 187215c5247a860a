//! Draws the model. Pure: reads the model and writes a frame.

mod bar;
mod card;
mod columns;
mod details;
mod edit;
mod empty;
pub mod found;
mod grid;
pub mod help;
mod hints;
mod list;
mod live;
mod marks;
mod menu;
mod messages;
pub mod page;
mod palette;
mod pane;
mod question;
mod reply;
mod rewind;
mod row;
mod scroll;
mod status;
mod toasts;
mod top;
mod tree;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::model::layout::Kind;
use super::model::mode::Mode;
use super::model::{Link, Model};

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
    if let Some(area) = layout.top
        && !matches!(model.mode, Mode::Page(_) | Mode::Found(_))
    {
        top::draw(model, area, frame.buffer_mut());
    }
    if matches!(model.mode, Mode::Help(_)) {
        help::draw(model, frame.buffer_mut());
    } else if matches!(model.mode, Mode::Page(_)) {
        page::draw(model, frame.buffer_mut());
    } else if let Mode::Found(state) = &model.mode {
        found::draw(model, state, frame);
    } else if model.jobs.is_empty() {
        if model.listed {
            empty::draw(model, body(model), frame.buffer_mut());
        }
    } else {
        if let Some(area) = layout.list {
            list::draw(model, area, frame.buffer_mut());
        }
        frame_lines(model, frame);
        if let Some(area) = layout.title {
            pane::title(model, area, frame.buffer_mut());
        }
        if let Some(area) = layout.grid {
            grid::draw(model, area, frame);
        } else if let Some(area) = layout.pane {
            pane::draw(model, area, frame);
        }
    }
    if let Some(area) = layout.status {
        status::draw(model, area, frame);
    }
    if let Some(area) = layout.hints {
        hints::draw(model, area, frame.buffer_mut());
    }
    match &model.mode {
        Mode::Reply(state) => reply::draw(model, state, body(model), frame.buffer_mut()),
        Mode::Prompt(form) => edit::whole(model, form, body(model), frame.buffer_mut()),
        Mode::Palette(state) => palette::draw(model, state, body(model), frame),
        _ => {}
    }
    toasts::draw(model, frame.buffer_mut());
    if model.link == Link::Down {
        top::banner(model, frame.buffer_mut());
    }
}

/// The key shown at a position of the last two lines, if there is one.
pub fn key_at(model: &Model, col: u16, row: u16) -> Option<String> {
    let layout = model.layout();
    let at = |area: &Rect| area.contains((col, row).into());
    if let Some(area) = layout.hints.filter(at) {
        return hints::bar(model).key_at(area, col);
    }
    let area = layout.status.filter(at)?;
    status::items(model, area)?.key_at(area, col)
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
