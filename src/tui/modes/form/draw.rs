//! Draws the form in the status line, and a long field in full above it.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::fields::{Form, NAME, Purpose, RUN};
use crate::term::sanitize::clean;
use crate::tui::line::draw::field as draw_field;
use crate::tui::model::Model;
use crate::tui::status::{Alarms, alarms};
use crate::tui::text;
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;

/// Below this width in columns, the form shows one field at a time.
const NARROW: usize = 50;

/// Columns for a word in the focused field.
const WORD: usize = 16;

/// Stands for fields that are left out.
const LEFT_OUT: &str = "…";

/// Number of lines above the form that show a long field in full, if half of the body is less.
const LEAST_LINES: usize = 3;

/// The form on one line; the focused field is as wide as possible. If there is no room for all
/// fields, only the focused field and its number.
pub(super) fn status(model: &Model, form: &Form, line: Rect, canvas: &mut Canvas) {
    let rest = badge(model, line, canvas);
    if form.over {
        job_removed(model, form, rest, canvas);
    } else if form.pending.is_some() {
        pending(model, form, rest, line, canvas);
    } else if usize::from(rest.width) < NARROW {
        focused_field(model, form, rest, line, canvas);
    } else {
        all_fields(model, form, rest, line, canvas);
    }
}

/// Draws the name of the mode. Returns the rest of the line, without its last column.
fn badge(model: &Model, line: Rect, canvas: &mut Canvas) -> Rect {
    let name = format!(" {} ", model.mode().name());
    let style = model.theme.badge(Tone::Entry);
    let room = usize::from(line.width);
    let buf = canvas.buffer_mut();
    buf.set_stringn(line.x, line.y, &name, room, style);
    let width = u16::try_from(text::width(&name)).unwrap_or(0);
    let x = line.x + width + 1;
    Rect::new(x, line.y, line.right().saturating_sub(x + 1), 1)
}

/// Says that the job which the form edits was removed, and what is still typed.
fn job_removed(model: &Model, form: &Form, rest: Rect, canvas: &mut Canvas) {
    let theme = &model.theme;
    let name = text::clip_middle(&form.edits, 24, theme.glyph("…"));
    let typed = form.value(form.focus);
    let text = format!("{name} was removed; not changed: {typed} ");
    let text = text::clip(&text, usize::from(rest.width), theme.glyph("…"));
    let buf = canvas.buffer_mut();
    buf.set_string(rest.x, rest.y, text, theme.strong());
}

/// Says what the daemon was asked to do.
fn pending(model: &Model, form: &Form, rest: Rect, line: Rect, canvas: &mut Canvas) {
    let theme = &model.theme;
    let doing = match form.purpose {
        Purpose::New(_) => "starting",
        Purpose::Edit(..) => "changing",
    };
    let what = match form.purpose {
        Purpose::Edit(..) if !form.value(NAME).is_empty() => form.value(NAME),
        _ => form.value(RUN),
    };
    let text = format!("{doing} {what} ");
    let room = usize::from(rest.width).saturating_sub(Alarms::width(model, line));
    let text = text::clip(&text, room, theme.glyph("…"));
    let used = usize::from(rest.x - line.x) + text::width(&text);
    let buf = canvas.buffer_mut();
    buf.set_string(rest.x, rest.y, text, theme.dim());
    alarms(model, used, 0, line, buf);
}

/// The focused field and its number.
fn focused_field(model: &Model, form: &Form, rest: Rect, line: Rect, canvas: &mut Canvas) {
    let label = format!("{}: ", form.labels[form.focus]);
    let field = &form.fields[form.focus];
    let lead = usize::from(rest.x - line.x);
    let used = lead + text::width(&label) + text::width(&field.text()) + 2;
    // The number of the field comes after it.
    let area = alarms(model, used + 4, 0, line, canvas.buffer_mut());
    let part = Rect::new(rest.x, rest.y, area.right().saturating_sub(rest.x + 4), 1);
    draw_field(&model.theme, &label, field, true, part, canvas);
    ghost(model, form, &label, part, canvas);
    let place = format!("{}/{}", form.focus + 1, form.labels.len());
    let buf = canvas.buffer_mut();
    buf.set_string(area.right() - 4, area.y, place, model.theme.dim());
}

/// All fields for which there is room, with a mark for the others.
fn all_fields(model: &Model, form: &Form, rest: Rect, line: Rect, canvas: &mut Canvas) {
    let theme = &model.theme;
    let widths = widths(form, usize::from(rest.width));
    // Each field is followed by a blank.
    let used: usize = widths.iter().map(|width| width + 1).sum();
    let used = usize::from(rest.x - line.x) + used;
    alarms(model, used, 0, line, canvas.buffer_mut());
    let mark = theme.glyph(LEFT_OUT);
    let mut is_left_out = false;
    let mut x = rest.x;
    for (field, width) in widths.into_iter().enumerate() {
        if width == 0 {
            // Of several fields, one mark.
            if !std::mem::replace(&mut is_left_out, true) {
                canvas.buffer_mut().set_string(x, line.y, mark, theme.dim());
                x += u16::try_from(text::width(mark)).unwrap_or(0) + 1;
            }
            continue;
        }
        is_left_out = false;
        let width = u16::try_from(width).unwrap_or(0);
        let part = Rect::new(x, line.y, width.min(line.right().saturating_sub(x)), 1);
        let label = format!("{}: ", form.labels[field]);
        let focus = field == form.focus;
        draw_field(theme, &label, &form.fields[field], focus, part, canvas);
        if focus {
            ghost(model, form, &label, part, canvas);
        }
        x += width + 1;
    }
}

/// Widths of the fields with their labels; 0 for those that are left out because there is no room for all: the ones
/// farthest from the focus. Unfocused fields are as wide as their text, up to a fifth of the line. The focused field has
/// room for at least one word without moving the others.
fn widths(form: &Form, room: usize) -> Vec<usize> {
    let label = |field: usize| text::width(form.labels[field]) + 2;
    let typed = |field: usize| text::width(&form.fields[field].text());
    let natural = |field: usize| label(field) + typed(field).min(room / 5).max(2) + 1;
    let count = form.labels.len();
    // Each field is followed by a blank.
    let others = |shown: &Range<usize>| -> usize {
        let others = shown.clone().filter(|&field| field != form.focus);
        others.map(|field| natural(field) + 1).sum()
    };
    let left = |shown: &Range<usize>| {
        if shown.len() == count {
            room
        } else {
            room.saturating_sub(text::width(LEFT_OUT) + 1)
        }
    };
    let wanted = typed(form.focus) + 2;
    let mut shown = 0..count;
    let is_full =
        |shown: &Range<usize>| others(shown) + label(form.focus) + wanted.min(WORD) > left(shown);
    while shown.len() > 1 && is_full(&shown) {
        if form.focus + 1 < shown.end {
            shown.end -= 1
        } else {
            shown.start += 1
        }
    }
    // Reserve room for a suggestion in the command field, so that nothing moves while typing.
    let least = if form.focus == RUN { 28 } else { WORD };
    let focused = label(form.focus) + wanted.max(least);
    let focused = focused.min(left(&shown).saturating_sub(others(&shown)));
    let width = |field: usize| match field == form.focus {
        true => focused,
        false if shown.contains(&field) => natural(field),
        false => 0,
    };
    (0..count).map(width).collect()
}

/// Columns for the text of a field.
fn field_room(model: &Model, form: &Form, field: usize) -> usize {
    let badge = text::width(model.mode().name()) + 2;
    let room = usize::from(model.window.0).saturating_sub(badge + 2);
    let label = text::width(form.labels[field]) + 3;
    let columns = match room < NARROW {
        true if field == form.focus => room.saturating_sub(3),
        // Only the focused field is shown.
        true => return usize::MAX,
        false => widths(form, room)[field],
    };
    columns.saturating_sub(label)
}

/// The suggestion, dimmed after the cursor, as far as there is room.
fn ghost(model: &Model, form: &Form, label: &str, area: Rect, canvas: &mut Canvas) {
    let Some(rest) = form.suggestion() else {
        return;
    };
    let used = text::width(label) + text::width(&form.fields[form.focus].text());
    let room = usize::from(area.width).saturating_sub(used + 1);
    let rest = text::clip(&clean(rest), room, model.theme.glyph("…"));
    let x = area.x + u16::try_from(used).unwrap_or(area.width).min(area.width);
    canvas
        .buffer_mut()
        .set_stringn(x, area.y, rest, room, model.theme.dim());
}

/// The text of a field that is too long for it, in full above the status line: of the focused field, or
/// else of the command. Returns the part of `body` above it.
pub(super) fn whole(model: &Model, form: &Form, body: Rect, buf: &mut Buffer) -> Rect {
    let width = usize::from(body.width);
    let is_cut = |field: &usize| {
        let line = form.fields[*field].text();
        text::width(&line) > field_room(model, form, *field)
    };
    let Some(field) = [form.focus, RUN].into_iter().find(is_cut) else {
        return body;
    };
    if width < 4 || body.height < 2 {
        return body;
    }
    let (lines, cursor) = lines_of(form, field, width - 2);
    let most = usize::from(body.height - 1).min(LEAST_LINES.max(usize::from(body.height / 2)));
    let shown = most.min(lines.len());
    let first = (cursor + 1).saturating_sub(shown).min(lines.len() - shown);
    let height = u16::try_from(shown + 1).unwrap_or(0).min(body.height);
    let top = body.bottom() - height;
    let area = Rect::new(body.x, top, body.width, height);
    clear(area, buf);
    let rule = model.theme.glyph("─").repeat(width);
    buf.set_string(body.x, top, rule, model.theme.rule());
    for (y, line) in (top + 1..body.bottom()).zip(&lines[first..]) {
        buf.set_stringn(body.x + 1, y, line, width - 1, Style::new());
    }
    Rect::new(body.x, body.y, body.width, body.height - height)
}

/// The text of a field in lines of `width`, and the index of the line with the cursor. A command that
/// one line cannot show has its own lines.
fn lines_of(form: &Form, field: usize, width: usize) -> (Vec<String>, usize) {
    let line = &form.fields[field];
    let real = form.whole.as_ref().filter(|_| field == RUN);
    if let Some(whole) = real.filter(|whole| whole.shown == line.text()) {
        let lines = whole.command.lines().map(clean);
        let lines: Vec<String> = lines.flat_map(|line| text::wrap(&line, width)).collect();
        return (lines, 0);
    }
    let before = text::wrap(&line.before_cursor(), width).len();
    (text::wrap(&line.text(), width), before.saturating_sub(1))
}

/// Empties an area.
pub(super) fn clear(area: Rect, buf: &mut Buffer) {
    for place in area.positions() {
        if let Some(cell) = buf.cell_mut(place) {
            cell.reset();
        }
    }
}
