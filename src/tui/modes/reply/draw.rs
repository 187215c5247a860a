//! Replying to a job: the reply in the status line, and the last lines of the job's screen above
//! it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::answer::Reply;
use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::state::State;
use crate::tui::window::Canvas;
use crate::tui::{status, text};

/// Number of lines of the job's screen.
const LINES: usize = 3;

/// The reply in the status line. Nothing of a hidden reply is shown, not even its length.
pub(super) fn line(model: &Model, reply: &Reply, area: Rect, canvas: &mut Canvas) {
    // The reply needs the room more than the name, which is shown above.
    let sign = if let Some(over) = &reply.over {
        let room = usize::from(area.width / 2);
        format!(
            "{}: ",
            text::clip_middle(over, room, model.theme.glyph("…"))
        )
    } else if area.width < 40 {
        "> ".to_owned()
    } else {
        let name = text::clip_middle(&model.name_of(&reply.id), 16, model.theme.glyph("…"));
        format!("{name}: ")
    };
    if !reply.hidden {
        status::edit_line(model, &sign, &reply.line, 0, area, canvas);
        return;
    }
    let mut bar = status::bar(model, area);
    let sign = format!("{sign}hidden");
    let badge = text::width(model.mode().name()) + 3 + usize::from(area.width >= 60);
    let at = badge + text::width(&sign) + 1;
    bar.text(0, sign, model.theme.key());
    bar.draw(area, canvas.buffer_mut());
    let x = area.x + u16::try_from(at).unwrap_or(0);
    canvas.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
}

/// The last lines of the job's screen, below the question of an agent, if there is one.
pub(super) fn draw(model: &Model, reply: &Reply, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let width = usize::from(area.width);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let mut asked = questions(model, reply, width.saturating_sub(1));
    let screen = last_lines(model, reply, width.saturating_sub(1));
    // Below the rule: all of the question, if the last line of the screen, where the prompt is, has room below it.
    let room = usize::from(area.height.saturating_sub(1));
    let most = room.saturating_sub(screen.len().min(1));
    if asked.len() > most {
        asked.truncate(most);
        if let Some(last) = asked.last_mut() {
            let mark = theme.glyph("…");
            *last = text::clip(&format!("{last} {mark}"), width.saturating_sub(1), mark);
        }
    }
    let first = (asked.len() + screen.len()).saturating_sub(room);
    lines.extend(
        asked
            .into_iter()
            .map(|line| (line, theme.state(&State::Asked))),
    );
    let screen = screen.into_iter().skip(first);
    lines.extend(screen.map(|line| (line, Style::new())));
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let height = height.min(area.height);
    let top = area.bottom() - height;
    for y in top..area.bottom() {
        for x in area.left()..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
    if height == 0 {
        return;
    }
    let rule = theme.glyph("─").repeat(width);
    buf.set_string(area.x, top, rule, theme.rule());
    let skipped = lines.len() + 1 - usize::from(height);
    for (y, (line, style)) in (top + 1..).zip(lines.iter().skip(skipped)) {
        let room = width.saturating_sub(1);
        let line = match text::width(line) {
            width if width > room => {
                let mark = theme.glyph("…");
                let rest = room.saturating_sub(text::width(mark));
                format!("{mark}{}", text::tail(line, rest))
            }
            _ => line.clone(),
        };
        buf.set_stringn(area.x + 1, y, line, room, *style);
    }
}

/// The agents' questions about the job, in full.
fn questions(model: &Model, reply: &Reply, width: usize) -> Vec<String> {
    let asked = model
        .job(&reply.id)
        .map_or(&[][..], |job| &job.record.asked);
    let said = asked.iter().flat_map(|asked| {
        let by = clean(asked.by.as_str());
        let message = format!("{by} asks: {}", asked.message);
        let lines: Vec<String> = message.lines().map(clean).collect();
        lines
    });
    said.flat_map(|line| text::wrap(&line, width)).collect()
}

/// The last lines that are not blank, wrapped. Of more than fit, the last are shown, because the prompt is at the end.
fn last_lines(model: &Model, reply: &Reply, width: usize) -> Vec<String> {
    let Some(screen) = model.screen(&reply.id) else {
        return Vec::new();
    };
    let mut rows = screen.rows_text(true);
    rows.retain(|row| !row.is_empty());
    let rows = &rows[rows.len().saturating_sub(LINES)..];
    let wrap = |row: &String| {
        // As it is, with its indentation, if it fits.
        if text::width(row) <= width {
            vec![row.clone()]
        } else {
            text::wrap(row, width)
        }
    };
    let wrapped: Vec<String> = rows.iter().flat_map(wrap).collect();
    wrapped[wrapped.len().saturating_sub(LINES)..].to_vec()
}
