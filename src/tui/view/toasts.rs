//! Toasts at the top right.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::model::toast::Kind;
use crate::tui::text;
use crate::tui::theme::Tone;

/// Maximum columns of text in a toast.
const WIDEST: usize = 52;
/// Maximum lines of a toast.
const TALLEST: usize = 4;

/// Draws the toasts below the top line, oldest first.
pub(super) fn draw(model: &Model, buf: &mut Buffer) {
    let window = buf.area;
    let layout = model.layout();
    let end = layout.status.map_or(window.height, |status| status.y);
    let mut y = u16::from(layout.top.is_some()) + u16::from(layout.rule.is_some());
    // Leave the list uncovered, because its rows are what a toast is about.
    let from = layout.divider.map_or(0, |divider| divider.right());
    let room = usize::from(window.width - from)
        .saturating_sub(3)
        .min(WIDEST);
    // In a very low window, show one line of the newest toast, and none over a menu or a page.
    let tiny = window.height < 8;
    if tiny && !(model.is_normal() || model.mode().types() || model.mode().scrolls()) {
        return;
    }
    let shown = model.toasts.shown();
    let shown = match tiny {
        true => &shown[shown.len().saturating_sub(1)..],
        false => shown,
    };
    let tallest = if tiny { 1 } else { TALLEST };
    for toast in shown {
        let mut text = toast.text.clone();
        if toast.count > 1 {
            text.push_str(&format!(" (x{})", toast.count));
        }
        let mut lines = text::wrap(&text, room);
        let stays = toast.kind == Kind::Note && toast.until.is_none();
        let dismiss = stays.then(|| format!("{} dismisses this", model.key("esc")));
        let shell = toast.shell.as_ref().map(|shell| clean(shell)).or(dismiss);
        let shell = shell.and_then(|shell| place_shell(&mut lines, &shell, room));
        if lines.len() > tallest {
            lines.truncate(tallest);
            if let Some(last) = lines.last_mut() {
                *last = format!("{last} {}", model.theme.glyph("…"));
                *last = text::clip(last, room, model.theme.glyph("…"));
            }
        }
        let tone = match toast.kind {
            Kind::Note => Tone::Calm,
            Kind::Error => Tone::Alarm,
        };
        let width = lines
            .iter()
            .map(|line| text::width(line))
            .max()
            .unwrap_or(0)
            + 2;
        let width = u16::try_from(width)
            .unwrap_or(window.width)
            .min(window.width);
        let x = window.width.saturating_sub(width + 1);
        let last = lines.len().saturating_sub(1);
        for (at, line) in lines.iter().enumerate() {
            if y >= end {
                return;
            }
            let area = Rect::new(x, y, width, 1);
            for cell in area.columns() {
                if let Some(cell) = buf.cell_mut((cell.x, y)) {
                    cell.reset();
                }
            }
            buf.set_style(area, model.theme.toast(tone));
            let room = usize::from(width).saturating_sub(1);
            buf.set_stringn(x + 1, y, line, room, model.theme.toast(tone));
            if let Some(cut) = shell.filter(|_| at == last) {
                let shift = text::width(&line[..cut]);
                let dim = model.theme.toast(tone).add_modifier(Modifier::DIM);
                let room = room.saturating_sub(shift);
                let x = x + 1 + u16::try_from(shift).unwrap_or(0);
                buf.set_stringn(x, y, &line[cut..], room, dim);
            }
            y += 1;
        }
        y += 1;
    }
}

/// Appends the shell command to the last line, or adds it as a line of its own; returns the column
/// where it starts in the last line. If it does not fit as a whole, it is omitted.
fn place_shell(lines: &mut Vec<String>, shell: &str, room: usize) -> Option<usize> {
    let width = text::width(shell);
    let last = lines.last_mut()?;
    if text::width(last) + 3 + width <= room {
        last.push_str("   ");
        let at = last.len();
        last.push_str(shell);
        return Some(at);
    }
    if width > room || lines.len() >= TALLEST {
        return None;
    }
    lines.push(shell.to_owned());
    Some(0)
}
