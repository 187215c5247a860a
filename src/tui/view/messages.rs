//! MESSAGES: what was said, with the time, the newest at the top.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::model::Model;
use crate::tui::model::page::Page;
use crate::tui::model::toast::Kind;
use crate::tui::state::State;
use crate::tui::{text, units};

/// `12:45:03` and two blanks.
const TIME: usize = 10;

/// Lines of the page: the time on the first of each message, and whether it is bad news.
fn lines(model: &Model, width: usize) -> Vec<(String, String, Kind)> {
    let room = width.saturating_sub(TIME + 2).max(8);
    let mut lines = Vec::new();
    for said in model.toasts.said().rev() {
        let mut time = units::clock_seconds(said.at, model.now.utc_offset_s);
        let count = match said.count {
            1 => String::new(),
            n => format!(" (x{n})"),
        };
        for line in text::wrap(&format!("{}{count}", said.text), room) {
            lines.push((std::mem::take(&mut time), line, said.kind));
        }
    }
    lines
}

/// How many lines there are, for a window of `width`.
pub fn height(model: &Model, width: u16) -> usize {
    lines(model, usize::from(width)).len()
}

/// All of it, as text to be kept: the oldest first.
pub fn text(model: &Model) -> String {
    let offset = model.now.utc_offset_s;
    let lines = model.toasts.said().map(|said| {
        let time = units::clock_seconds(said.at, offset);
        format!("{time}  {}\n", said.text)
    });
    lines.collect()
}

/// Draws the page.
pub(super) fn draw(model: &Model, page: &Page, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let lines = lines(model, usize::from(area.width));
    if lines.is_empty() {
        buf.set_string(area.x + 1, area.y, "Nothing was said yet.", theme.dim());
    }
    for (y, (time, line, kind)) in (area.y..area.bottom()).zip(lines.iter().skip(page.top)) {
        let style = match kind {
            Kind::Note => Style::new(),
            Kind::Error => theme.state(&State::Failed(1)),
        };
        let room = usize::from(area.width).saturating_sub(TIME + 1);
        buf.set_stringn(area.x + 1, y, time, TIME, theme.dim());
        let x = area.x + 1 + u16::try_from(TIME).unwrap_or(0);
        buf.set_stringn(x.min(area.right()), y, line, room, style);
    }
}
