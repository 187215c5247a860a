//! The live screen of a job: in the pane, or in a tile of the grid. Between what somebody has looked at and what
//! came since there is a line, which scrolls with the text.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::tui::model::Model;
use crate::tui::model::look::row_of_line;
use crate::tui::model::mode::Mode;
use crate::tui::pane::Crop;
use crate::tui::{pane, text, units};

/// From so many columns on the line says in full what it is.
const WIDE: usize = 60;
/// From so many columns on it goes on to the edge: in a narrow pane the words are the line.
const FILLED: usize = 50;
/// An area lower than this has no row to spare for the line.
const LOWEST: u16 = 4;

/// Draws the screen of a job, or why there is none.
pub(super) fn draw(model: &Model, id: &SessionId, area: Rect, frame: &mut Frame<'_>) {
    let Some(watch) = model.watch(id) else {
        return;
    };
    if let Some(screen) = &watch.screen {
        draw_screen(model, id, screen, area, frame);
    } else if let Some(problem) = &watch.problem {
        for (y, line) in (area.y..area.bottom()).zip(text::wrap(problem, usize::from(area.width))) {
            frame
                .buffer_mut()
                .set_string(area.x, y, line, model.theme.dim());
        }
    }
}

fn draw_screen(model: &Model, id: &SessionId, screen: &Screen, area: Rect, frame: &mut Frame<'_>) {
    let is_current = model.current_id() == Some(id);
    let typing = is_current && matches!(model.mode, Mode::Insert(_));
    let pan = if is_current { model.pan } else { 0 };
    let alive = model.job(id).is_some_and(|job| job.is_alive());
    let mut cursor = None;
    for (part, crop) in parts(model, id, screen, area, pan, typing, frame.buffer_mut()) {
        pane::draw(screen, part, crop, model.theme.mono, frame.buffer_mut());
        cursor = cursor.or(pane::cursor(screen, part, crop));
    }
    let Some(at) = cursor.filter(|_| alive) else {
        return;
    };
    if typing {
        frame.set_cursor_position(at);
    } else if let Some(cell) = frame.buffer_mut().cell_mut::<Position>(at) {
        // Where the job's cursor is, without taking the terminal's own, which shows where keys go.
        cell.modifier.toggle(Modifier::REVERSED);
    }
}

/// The parts of the screen that show, and where: one, or what is above the line and what is below it. Draws the line.
fn parts(
    model: &Model,
    id: &SessionId,
    screen: &Screen,
    area: Rect,
    pan: u16,
    typing: bool,
    buf: &mut Buffer,
) -> Vec<(Rect, Crop)> {
    let whole = vec![(area, pane::crop(screen, area, pan, typing))];
    // While keys go to it alone, the window is the job's.
    let alone = typing && model.frame.zoom;
    let Some((row, at)) = mark(model, id, screen).filter(|_| !alone && area.height >= LOWEST)
    else {
        return whole;
    };
    let less = Rect {
        height: area.height - 1,
        ..area
    };
    let crop = pane::crop(screen, less, pan, typing);
    if row <= crop.top || row >= crop.top + less.height {
        return whole;
    }
    let (above, line) = (row - crop.top, area.y + row - crop.top);
    let upper = Rect {
        height: above,
        ..area
    };
    let lower = Rect::new(area.x, line + 1, area.width, area.bottom() - line - 1);
    let words = words(model, at, usize::from(area.width));
    buf.set_string(area.x, line, words, model.theme.key());
    vec![(upper, crop), (lower, Crop { top: row, ..crop })]
}

/// The row in which what is new begins, and when somebody last looked.
fn mark(model: &Model, id: &SessionId, screen: &Screen) -> Option<(u16, i64)> {
    let (seen, _) = model.looks.mark(id)?;
    let lines = model.watch(id)?.lines?;
    Some((row_of_line(screen, lines, seen.lines + 1)?, seen.at))
}

/// `── new since you last looked (12:31) ───`, shorter where there is less room.
fn words(model: &Model, at: i64, width: usize) -> String {
    let when = units::since(at, model.now.ms, &model.zone);
    let line = model.theme.glyph("─");
    let mut words = match width {
        WIDE.. => format!("{line}{line} new since you last looked ({when}) "),
        _ => format!("{line}{line} new since {when} "),
    };
    let rest = match width {
        FILLED.. => width.saturating_sub(text::width(&words)),
        _ => 2,
    };
    words.push_str(&line.repeat(rest));
    text::clip(&words, width, "")
}
