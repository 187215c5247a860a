//! Draws a line that is edited.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::Line;
use crate::tui::text;
use crate::tui::theme::Theme;
use crate::tui::window::Canvas;

/// A label and a line. If it has the focus, the terminal's cursor is in it.
pub fn field(
    theme: &Theme,
    label: &str,
    line: &Line,
    focus: bool,
    area: Rect,
    canvas: &mut Canvas,
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
        (text::clip(&line.text(), room, theme.glyph("…")), 0)
    };
    let buf = canvas.buffer_mut();
    let key = if focus { theme.key() } else { theme.dim() };
    buf.set_stringn(area.x, area.y, label, usize::from(area.width), key);
    let x = area.x + u16::try_from(label_width).unwrap_or(0).min(area.width);
    let style = if focus && line.is_selected() {
        Style::new().add_modifier(Modifier::REVERSED)
    } else {
        Style::new()
    };
    buf.set_stringn(x, area.y, shown, room, style);
    if focus {
        let at = u16::try_from(at).unwrap_or(0);
        let last = area.right().saturating_sub(1);
        canvas.set_cursor_position(((x + at).min(last), area.y));
    }
}
