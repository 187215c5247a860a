//! The scrolled-back pane: rows of the log, matches, selection, timestamps and cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use crate::tui::model::Model;
use crate::tui::pane::{live, paint};
use crate::tui::scrollback::row::Row;
use crate::tui::scrollback::{GUTTER, Scroll};
use crate::tui::theme::Depth;
use crate::tui::window::Canvas;
use crate::tui::{text, units};

/// Draws the pane.
pub(super) fn draw(model: &Model, scroll: &Scroll, area: Rect, canvas: &mut Canvas) {
    let theme = &model.theme;
    let buf = canvas.buffer_mut();
    let gutter = if scroll.display.times {
        GUTTER.min(area.width)
    } else {
        0
    };
    let body = Rect::new(area.x + gutter, area.y, area.width - gutter, area.height);
    let mut time_above = None;
    for (y, row) in (area.y..area.bottom()).zip(scroll.view()) {
        let line = Rect::new(body.x, y, body.width, 1);
        let here = &scroll.text.rows[row];
        draw_row(here, scroll.left, line, theme.panes, buf);
        if !scroll.display.wrap {
            live::mark_ends(model, line, cut(here, scroll.left, body.width), buf);
        }
        if gutter > 0 {
            // Wrapped rows, and lines of the same second, do not repeat the timestamp.
            let time = scroll.time_of(row).map(|at| at.div_euclid(1000));
            if let Some(seconds) = time.filter(|_| time != time_above) {
                let text = units::clock_seconds(seconds.saturating_mul(1000), &model.zone);
                buf.set_stringn(area.x, y, text, usize::from(gutter), theme.dim());
            }
            time_above = time;
        }
        if let Some(search) = &scroll.search {
            let is_here = search.at(scroll.cursor).is_some();
            let width = usize::from(scroll.text.size.cols());
            for (from, to) in search.columns(width, row) {
                let at_cursor =
                    is_here && row == scroll.cursor.row && (from..to).contains(&scroll.cursor.col);
                paint(line, scroll.left, from, to, theme.found(at_cursor), buf);
            }
        }
        let selected = scroll
            .selection
            .and_then(|selection| selection.columns(&scroll.text, scroll.cursor, row));
        if let Some((from, to)) = selected {
            // A selection past the end of a row includes the newline, shown as one column.
            let to = to.min(here.width().max(from) + 1);
            toggle(line, scroll.left, from, to, buf);
        }
    }
    if model.mode().scrolls()
        && scroll.input.is_none()
        && let Some(at) = cursor(scroll, body)
    {
        canvas.set_cursor_position(at);
    }
}

/// Whether a row has text before column `left`, and behind the `width` columns from there. A line that is longer than
/// a row continues in the next one.
fn cut(row: &Row, left: usize, width: u16) -> (bool, bool) {
    let end = row.width();
    let shown = left + usize::from(width);
    (
        left > 0 && end > 0,
        end > shown || (row.wraps && end >= shown),
    )
}

/// Position of the cursor in the window.
fn cursor(scroll: &Scroll, body: Rect) -> Option<Position> {
    let y = scroll.view().position(|row| row == scroll.cursor.row)?;
    let x = scroll.cursor.col.saturating_sub(scroll.left);
    let x = u16::try_from(x).ok()?.min(body.width.saturating_sub(1));
    Some(Position::new(body.x + x, body.y + u16::try_from(y).ok()?))
}

/// Draws a row from column `left` on.
fn draw_row(row: &Row, left: usize, line: Rect, depth: Depth, buf: &mut Buffer) {
    let width = usize::from(line.width);
    for x in line.left()..line.right() {
        if let Some(cell) = buf.cell_mut((x, line.y)) {
            cell.reset();
        }
    }
    let looks = row.looks.iter().enumerate().map(|(at, (from, look))| {
        let to = row
            .looks
            .get(at + 1)
            .map_or(usize::MAX, |(to, _)| usize::from(*to));
        (usize::from(*from), to, paint::style(look, depth))
    });
    for (from, to, style) in looks {
        paint(line, left, from, to.min(left + width), style, buf);
    }
    for (column, cell_width, cell) in row.cells() {
        let Some(x) = column.checked_sub(left) else {
            continue;
        };
        // Draw a wide character only if both of its halves fit.
        if x + cell_width > width {
            break;
        }
        let x = line.x + u16::try_from(x).unwrap_or(0);
        let fits = text::width(cell) == cell_width && cell_width > 0;
        if let Some(target) = buf.cell_mut((x, line.y)).filter(|_| fits) {
            target.set_symbol(cell);
        }
    }
    paint::isolate(line, buf);
}

/// The visible area of the columns `from` to `to` (exclusive) of a row.
fn part(line: Rect, left: usize, from: usize, to: usize) -> Option<Rect> {
    let width = usize::from(line.width);
    let start = from.saturating_sub(left).min(width);
    let end = to.saturating_sub(left).min(width);
    let x = line.x + u16::try_from(start).ok()?;
    let len = u16::try_from(end.checked_sub(start)?).ok()?;
    (len > 0).then(|| Rect::new(x, line.y, len, 1))
}

fn paint(line: Rect, left: usize, from: usize, to: usize, style: Style, buf: &mut Buffer) {
    if let Some(part) = part(line, left, from, to) {
        buf.set_style(part, style);
    }
}

/// Reverses the colours of a part, because a selection must be visible on every background.
fn toggle(line: Rect, left: usize, from: usize, to: usize, buf: &mut Buffer) {
    let Some(part) = part(line, left, from, to) else {
        return;
    };
    for x in part.left()..part.right() {
        if let Some(cell) = buf.cell_mut((x, part.y)) {
            cell.modifier.toggle(Modifier::REVERSED);
        }
    }
}
