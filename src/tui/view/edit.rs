//! Line editing in the status line: the filter, a search, the form for a new job.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::model::form::{Form, Purpose};
use crate::tui::model::line::Line;
use crate::tui::model::rows::Row;
use crate::tui::text;
use crate::tui::theme::Tone;

/// Below this width in columns, the form shows one field at a time.
const NARROW: usize = 50;

/// Maximum number of lines above the form that show a long field in full.
const WHOLE: usize = 3;

/// The filter and the number of matching jobs.
pub(super) fn filter(model: &Model, line: &Line, area: Rect, frame: &mut Frame<'_>) {
    edit_line(model, "/", line, area, frame);
    let shown = model
        .rows
        .iter()
        .filter(|row| matches!(row, Row::Job(_)))
        .count();
    let text = format!("{shown} of {} ", model.jobs.len());
    let width = u16::try_from(text.len()).unwrap_or(0);
    let typed = text::width(&line.text()) + 14;
    if typed + text.len() < usize::from(area.width) {
        frame
            .buffer_mut()
            .set_string(area.right() - width, area.y, text, model.theme.dim());
    }
}

/// The form on one line; the focused field is as wide as possible. If there is no room for all
/// fields, only the focused field and its number.
pub(super) fn prompt(model: &Model, form: &Form, area: Rect, frame: &mut Frame<'_>) {
    let theme = &model.theme;
    let badge_text = format!(" {} ", model.mode.name());
    let badge_width = u16::try_from(text::width(&badge_text)).unwrap_or(0);
    frame.buffer_mut().set_stringn(
        area.x,
        area.y,
        &badge_text,
        usize::from(area.width),
        theme.badge(Tone::Busy),
    );
    let mut x = area.x + badge_width + 1;
    let room = usize::from(area.right().saturating_sub(x + 1));
    if form.busy {
        let doing = match form.purpose {
            Purpose::New(_) => "starting",
            Purpose::Edit(..) => "changing",
        };
        let text = format!("{doing} {} ", form.value(0));
        let text = text::clip(&text, room, theme.glyph("…"));
        frame.buffer_mut().set_string(x, area.y, text, theme.dim());
        return;
    }
    if room < NARROW {
        let label = format!("{}: ", form.labels[form.focus]);
        let field = Rect::new(x, area.y, area.right().saturating_sub(x + 4), 1);
        draw_field(model, &label, &form.fields[form.focus], true, field, frame);
        ghost(model, form, &label, field, frame);
        let place = format!("{}/{}", form.focus + 1, form.labels.len());
        frame
            .buffer_mut()
            .set_string(area.right() - 4, area.y, place, theme.dim());
        return;
    }
    let labels: Vec<String> = form
        .labels
        .iter()
        .map(|label| format!("{label}: "))
        .collect();
    for ((field, label), width) in labels.iter().enumerate().zip(widths(form, room)) {
        let width = u16::try_from(width).unwrap_or(0);
        let part = Rect::new(x, area.y, width.min(area.right().saturating_sub(x)), 1);
        let focus = field == form.focus;
        draw_field(model, label, &form.fields[field], focus, part, frame);
        if focus {
            ghost(model, form, label, part, frame);
        }
        x += width + 1;
    }
}

/// Widths of the fields with their labels. Unfocused fields are as wide as their text, up to a
/// fifth of the line. The focused field has room for at least one word without moving the others.
fn widths(form: &Form, room: usize) -> Vec<usize> {
    let label = |field: usize| text::width(form.labels[field]) + 2;
    let typed = |field: usize| text::width(&form.fields[field].text());
    let natural = |field: usize| label(field) + typed(field).min(room / 5).max(2) + 1;
    let all = 0..form.labels.len();
    let others: usize = all
        .clone()
        .filter(|&field| field != form.focus)
        .map(|field| natural(field) + 1)
        .sum();
    // Reserve room for a suggestion in the command field, so that nothing moves while typing.
    let least = if form.is_at_command() { 28 } else { 16 };
    let focused = label(form.focus) + (typed(form.focus) + 2).max(least);
    all.map(|field| match field == form.focus {
        true => focused.min(room.saturating_sub(others)),
        false => natural(field),
    })
    .collect()
}

/// Columns for the text of the focused field.
fn field_room(model: &Model, form: &Form) -> usize {
    let badge = text::width(model.mode.name()) + 2;
    let room = usize::from(model.window.0).saturating_sub(badge + 2);
    let label = text::width(form.labels[form.focus]) + 3;
    let field = match room < NARROW {
        true => room.saturating_sub(3),
        false => widths(form, room)[form.focus],
    };
    field.saturating_sub(label)
}

/// The suggestion, dimmed after the cursor, as far as there is room.
fn ghost(model: &Model, form: &Form, label: &str, area: Rect, frame: &mut Frame<'_>) {
    let Some(rest) = form.suggestion() else {
        return;
    };
    let used = text::width(label) + text::width(&form.fields[form.focus].text());
    let room = usize::from(area.width).saturating_sub(used + 1);
    let rest = text::clip(&clean(rest), room, model.theme.glyph("…"));
    let x = area.x + u16::try_from(used).unwrap_or(area.width).min(area.width);
    frame
        .buffer_mut()
        .set_stringn(x, area.y, rest, room, model.theme.dim());
}

/// The full text of the focused field, above the status line, if it is too long for the field.
pub(super) fn whole(model: &Model, form: &Form, body: Rect, buf: &mut Buffer) {
    let line = form.fields[form.focus].text();
    let (room, width) = (field_room(model, form), usize::from(body.width));
    if text::width(&line) <= room || width < 4 {
        return;
    }
    let lines = text::wrap(&line, width - 2);
    let kept = lines.len().saturating_sub(WHOLE);
    let lines = &lines[kept..];
    let height = u16::try_from(lines.len() + 1).unwrap_or(0).min(body.height);
    let top = body.bottom() - height;
    for y in top..body.bottom() {
        for x in body.left()..body.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
    if height > 0 {
        let rule = model.theme.glyph("─").repeat(width);
        buf.set_string(body.x, top, rule, model.theme.rule());
    }
    for (y, line) in (top + 1..body.bottom()).zip(lines) {
        buf.set_stringn(body.x + 1, y, line, width - 1, Style::new());
    }
}

/// The mode, a prompt sign, and the edited line; a line that is too long loses its start.
pub(super) fn edit_line(model: &Model, sign: &str, line: &Line, area: Rect, frame: &mut Frame<'_>) {
    let badge_text = format!(" {} ", model.mode.name());
    let x = u16::try_from(text::width(&badge_text) + 1).unwrap_or(0);
    let buf = frame.buffer_mut();
    buf.set_stringn(
        area.x,
        area.y,
        &badge_text,
        usize::from(area.width),
        model.theme.badge(model.mode.tone()),
    );
    let field = Rect::new(
        (area.x + x).min(area.right()),
        area.y,
        area.width.saturating_sub(x),
        1,
    );
    draw_field(model, sign, line, true, field, frame);
}

/// A label and a line. If it has the focus, the terminal's cursor is in it.
pub(super) fn draw_field(
    model: &Model,
    label: &str,
    line: &Line,
    focus: bool,
    area: Rect,
    frame: &mut Frame<'_>,
) {
    let label_width = text::width(label);
    let room = usize::from(area.width).saturating_sub(label_width + 1);
    let (shown, at) = if focus {
        let before = line.before_cursor();
        let start = text::tail(&before, room);
        let after = &line.text()[before.len()..];
        let rest = text::head(after, room.saturating_sub(text::width(start)));
        (format!("{start}{rest}"), text::width(start))
    } else {
        (text::clip(&line.text(), room, model.theme.glyph("…")), 0)
    };
    let buf = frame.buffer_mut();
    let key = if focus {
        model.theme.key()
    } else {
        model.theme.dim()
    };
    buf.set_stringn(area.x, area.y, label, usize::from(area.width), key);
    let x = area.x + u16::try_from(label_width).unwrap_or(0).min(area.width);
    buf.set_stringn(x, area.y, shown, room, Style::new());
    if focus {
        let at = u16::try_from(at).unwrap_or(0);
        let last = area.right().saturating_sub(1);
        frame.set_cursor_position(((x + at).min(last), area.y));
    }
}
