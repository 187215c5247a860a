//! The live screen of a job, in the pane or in a tile of the grid. A line that scrolls with the
//! text separates seen from unseen output.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::tui::model::Model;
use crate::tui::model::seen::row_of_line;
use crate::tui::pane::paint::{self, Crop};
use crate::tui::window::Canvas;
use crate::tui::{text, units};

/// Minimum width in columns for the full wording on the separator.
const WIDE: usize = 60;
/// Minimum width in columns at which the separator extends to the edge; in a narrow pane it
/// consists of the words alone.
const FILLED: usize = 50;
/// Minimum height in rows for the separator.
const LOWEST: u16 = 4;

/// Draws the screen of a job, or the reason why there is none.
pub fn draw(model: &Model, id: &SessionId, area: Rect, canvas: &mut Canvas) {
    let Some(watch) = model.watch(id) else {
        return;
    };
    if let Some(screen) = watch.shown() {
        draw_screen(model, id, screen, area, canvas);
    } else if let Some(problem) = &watch.problem {
        for (y, line) in (area.y..area.bottom()).zip(text::wrap(problem, usize::from(area.width))) {
            canvas
                .buffer_mut()
                .set_string(area.x, y, line, model.theme.dim());
        }
    }
}

fn draw_screen(model: &Model, id: &SessionId, screen: &Screen, area: Rect, canvas: &mut Canvas) {
    let is_current = model.current_id() == Some(id);
    let typing = is_current && model.mode().types();
    let pan = if is_current { model.pan } else { 0 };
    let alive = model.job(id).is_some_and(|job| job.is_alive());
    let parts = parts(model, id, screen, area, pan, typing);
    if let Some((line, at)) = parts.separator {
        let words = words(model, at, usize::from(area.width));
        let style = model.theme.key();
        canvas.buffer_mut().set_string(area.x, line, words, style);
    }
    let mut cursor = None;
    for (part, crop) in parts.shown {
        paint::draw(screen, part, crop, model.theme.mono, canvas);
        if !typing {
            mark_cut(model, screen, part, crop, canvas.buffer_mut());
        }
        cursor = cursor.or(paint::cursor(screen, part, crop));
    }
    draw_cursor(cursor.filter(|_| alive), typing, canvas);
}

/// Draws the cursor of the job: while keys go to the job, it is the cursor of the terminal.
pub(super) fn draw_cursor(at: Option<Position>, typing: bool, canvas: &mut Canvas) {
    let Some(at) = at else {
        return;
    };
    if typing {
        canvas.set_cursor_position(at);
    } else if let Some(cell) = canvas.buffer_mut().cell_mut::<Position>(at) {
        // Mark the job's cursor by reversing the cell. The terminal's own cursor shows where keys
        // go.
        cell.modifier.toggle(Modifier::REVERSED);
    }
}

/// The position of the cursor of the job in the pane, while the pane shows its live screen.
pub fn cursor(model: &Model, area: Rect) -> Option<Position> {
    if model.rewind.is_some() || model.scroll.is_some() {
        return None;
    }
    let job = model.current().filter(|job| job.is_alive())?;
    let screen = model.shown_screen(job.id())?;
    let typing = model.mode().types();
    let parts = parts(model, job.id(), screen, area, model.pan, typing);
    let mut parts = parts.shown.into_iter();
    parts.find_map(|(part, crop)| paint::cursor(screen, part, crop))
}

/// Whether a line separates seen from unseen output of the job in the pane.
pub(super) fn has_separator(model: &Model, id: &SessionId, area: Rect) -> bool {
    let typing = model.mode().types();
    let parts = |screen| parts(model, id, screen, area, model.pan, typing);
    let screen = model.shown_screen(id);
    screen.is_some_and(|screen| parts(screen).separator.is_some())
}

/// Marks the rows that continue beyond the pane.
fn mark_cut(model: &Model, screen: &Screen, area: Rect, crop: Crop, buf: &mut Buffer) {
    let (left, right) = (crop.left, crop.left.saturating_add(area.width));
    if left == 0 && screen.size().cols() <= right {
        return;
    }
    for y in 0..area.height {
        let row = crop.top + y;
        let before = (0..left).any(|col| paint::is_written(screen, row, col));
        let after = screen.row_end(row) > right;
        for (is_cut, x) in [(before, area.left()), (after, area.right() - 1)] {
            if is_cut {
                let mark = model.theme.glyph("…");
                buf.set_string(x, area.y + y, mark, model.theme.dim());
            }
        }
    }
}

/// How a screen is shown in a pane.
struct Parts {
    /// The visible parts and their areas: one, or one above and one below the separator.
    shown: Vec<(Rect, Crop)>,
    /// The row of the separator in the window, and when the job was last seen.
    separator: Option<(u16, i64)>,
}

fn parts(
    model: &Model,
    id: &SessionId,
    screen: &Screen,
    area: Rect,
    pan: u16,
    typing: bool,
) -> Parts {
    let whole = Parts {
        shown: vec![(area, paint::crop(screen, area, pan, typing))],
        separator: None,
    };
    // While keys go to a zoomed job, the window belongs to the job alone.
    let alone = typing && model.frame.zoom;
    let Some((row, at)) = mark(model, id, screen).filter(|_| !alone && area.height >= LOWEST)
    else {
        return whole;
    };
    let less = Rect {
        height: area.height - 1,
        ..area
    };
    let crop = paint::crop(screen, less, pan, typing);
    if row <= crop.top || row >= crop.top + less.height {
        return whole;
    }
    let (above, line) = (row - crop.top, area.y + row - crop.top);
    let upper = Rect {
        height: above,
        ..area
    };
    let lower = Rect::new(area.x, line + 1, area.width, area.bottom() - line - 1);
    Parts {
        shown: vec![(upper, crop), (lower, Crop { top: row, ..crop })],
        separator: Some((line, at)),
    }
}

/// The row where unseen output starts, and when the job was last seen.
fn mark(model: &Model, id: &SessionId, screen: &Screen) -> Option<(u16, i64)> {
    let (seen, _) = model.seen.mark(id)?;
    let lines = model.watch(id)?.lines?;
    Some((row_of_line(screen, lines, seen.lines + 1)?, seen.at))
}

/// `── new since you last looked (12:31) ───`, shorter if there is less room.
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
