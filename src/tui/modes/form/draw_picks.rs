//! Draws the commands that the form offers, above the form: the best one is the lowest, next to what is
//! typed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::draw::clear;
use super::fields::Form;
use super::pick::Pick;
use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::text;

/// Maximum number of commands shown at once.
const TALLEST: u16 = 10;

/// Rows of the body that stay free above the commands.
const KEPT: u16 = 3;

/// Draws as many as fit into the lower part of `body`.
pub(super) fn draw(model: &Model, form: &Form, body: Rect, buf: &mut Buffer) {
    if !form.is_at_command() || form.pending.is_some() {
        return;
    }
    let picks = form.picks();
    let count = u16::try_from(picks.len()).unwrap_or(u16::MAX);
    let rows = count.min(TALLEST).min(body.height.saturating_sub(KEPT + 1));
    if rows == 0 {
        return;
    }
    let area = Rect::new(body.x, body.bottom() - rows - 1, body.width, rows + 1);
    clear(area, buf);
    let at = form.recalled.as_ref().map(|(at, ..)| *at);
    heading(model, at, picks.len(), area, buf);
    // Scrolls as little as needed.
    let first = at.map_or(0, |at| (at + 1).saturating_sub(usize::from(rows)));
    let lines = (area.y + 1..area.bottom()).rev();
    for (y, (index, pick)) in lines.zip(picks.iter().enumerate().skip(first)) {
        let line = Rect::new(area.x, y, area.width, 1);
        row(model, pick, at == Some(index), line, buf);
    }
}

/// `── commands ───────── 2/14 ──`
fn heading(model: &Model, at: Option<usize>, all: usize, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let width = usize::from(area.width);
    buf.set_string(area.x, area.y, theme.glyph("─").repeat(width), theme.rule());
    let place = match at {
        Some(at) => format!(" {}/{all} ", at + 1),
        None => format!(" {all} "),
    };
    let shift = width.saturating_sub(place.len() + 1);
    let x = area.x + u16::try_from(shift).unwrap_or(0);
    buf.set_stringn(x, area.y, &place, place.len(), theme.dim());
    if width > 30 {
        buf.set_string(area.x + 1, area.y, " commands ", theme.dim());
    }
}

fn row(model: &Model, pick: &Pick<'_>, here: bool, line: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let mut style = Style::new();
    if here {
        buf.set_style(line, theme.selected());
        buf.set_string(line.x, line.y, theme.glyph("▌"), theme.key());
        style = theme.selected_name();
    }
    let width = usize::from(line.width);
    let source = pick.source.word();
    let room = width.saturating_sub(source.len() + 4);
    let command = text::clip(&clean(pick.command), room, theme.glyph("…"));
    buf.set_stringn(line.x + 1, line.y, command, room, style);
    let shift = width.saturating_sub(source.len() + 1);
    let x = line.x + u16::try_from(shift).unwrap_or(0);
    buf.set_stringn(x, line.y, source, source.len(), theme.dim());
}
