//! The screen that is shown when there are no jobs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::model::Model;
use crate::tui::text;

/// Keys or commands, with descriptions; an empty pair is a blank line.
const LINES: &[(&str, &str)] = &[
    ("", "Nothing is running yet."),
    ("", ""),
    ("n", "start a command here"),
    ("bgproc run -- npm run dev", "start one from any shell"),
    ("", ""),
    ("", "Jobs keep running when you close this screen."),
    ("", "Come back with: bgproc"),
    ("", ""),
    ("?", "all keys"),
    ("q", "quit"),
];

/// Draws it at a third of the height.
pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let indent: u16 = if area.width >= 60 { 6 } else { 1 };
    let height = u16::try_from(LINES.len()).unwrap_or(u16::MAX);
    let blank = ("", "");
    // If the area is too low, drop the blank lines first and leave the remaining rows at the top
    // for a toast.
    let tight = area.height < height + 2;
    let dense = LINES.iter().filter(|line| **line != blank).count();
    let top = if tight {
        let dense = u16::try_from(dense).unwrap_or(u16::MAX);
        area.y + area.height.saturating_sub(dense)
    } else {
        area.y + (area.height - height) / 3
    };
    let lines = LINES.iter().filter(|line| !(tight && **line == blank));
    for (y, line) in (top..area.bottom()).zip(lines) {
        let room = usize::from(area.width.saturating_sub(indent));
        let (key, what) = *line;
        let x = area.x + indent;
        if key.is_empty() {
            let what = text::clip(what, room, theme.glyph("…"));
            let style = if what.starts_with("Nothing") {
                theme.strong()
            } else {
                theme.dim()
            };
            buf.set_stringn(x, y, what, room, style);
        } else {
            let pad = if key.len() < 9 { 9 } else { key.len() + 3 };
            let key = model.key(key);
            buf.set_stringn(x, y, key, room, theme.key());
            if room > pad {
                let shift = u16::try_from(pad).unwrap_or(0);
                let what = text::clip(what, room - pad, theme.glyph("…"));
                buf.set_stringn(x + shift, y, what, room - pad, Style::new());
            }
        }
    }
}
