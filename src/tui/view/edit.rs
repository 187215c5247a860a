//! Lines that are edited in the status line: the filter, a search, the form for a new job.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::model::Model;
use crate::tui::model::form::{Form, LABELS};
use crate::tui::model::line::Line;
use crate::tui::model::rows::Row;
use crate::tui::text;
use crate::tui::theme::Tone;

/// The filter, and how many jobs it lets through.
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

/// The form on one line: the field with the cursor as wide as it can be. Where there is no room for all fields,
/// only that one and its number.
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
        let text = format!("starting {} ", form.value(0));
        let text = text::clip(&text, room, theme.glyph("…"));
        frame.buffer_mut().set_string(x, area.y, text, theme.dim());
        return;
    }
    if room < 50 {
        let label = format!("{}: ", LABELS[form.focus]);
        let field = Rect::new(x, area.y, area.right().saturating_sub(x + 4), 1);
        draw_field(model, &label, &form.fields[form.focus], true, field, frame);
        let place = format!("{}/{}", form.focus + 1, LABELS.len());
        frame
            .buffer_mut()
            .set_string(area.right() - 4, area.y, place, theme.dim());
        return;
    }
    // The others are as wide as what is in them, up to a fifth of the line.
    let labels: Vec<String> = LABELS.iter().map(|label| format!("{label}: ")).collect();
    let natural = |field: usize| {
        let value = text::width(&form.fields[field].text()).min(room / 5);
        text::width(&labels[field]) + value.max(2) + 1
    };
    // Wide enough to type a word without moving the others.
    let focused = (text::width(&labels[form.focus]) + 16)
        .max(text::width(&labels[form.focus]) + text::width(&form.fields[form.focus].text()) + 2);
    let others: usize = (0..LABELS.len())
        .filter(|&field| field != form.focus)
        .map(|field| natural(field) + 1)
        .sum();
    for (field, label) in labels.iter().enumerate() {
        let width = if field == form.focus {
            focused.min(room.saturating_sub(others))
        } else {
            natural(field)
        };
        let width = u16::try_from(width).unwrap_or(0);
        let part = Rect::new(x, area.y, width.min(area.right().saturating_sub(x)), 1);
        let focus = field == form.focus;
        draw_field(model, label, &form.fields[field], focus, part, frame);
        x += width + 1;
    }
}

/// The mode, a sign, and a line that is edited; its start goes if it is too long.
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

/// A label and a line; with the terminal's cursor in it if it has the focus.
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
