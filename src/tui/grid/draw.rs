//! The grid: a heading for each tile, and the job's screen below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::protocol::SessionId;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::seen::MOST_UNSEEN;
use crate::tui::pane::{self, live};
use crate::tui::state::State;
use crate::tui::text;
use crate::tui::window::Canvas;

/// Columns of a heading that are never text: two of the rule before, one after, and a blank on both
/// sides.
const LINES: usize = 5;

/// Draws the tiles.
pub fn draw(model: &Model, area: Rect, canvas: &mut Canvas) {
    let tiles = model.tiles();
    if tiles.is_empty() {
        let text = " The grid needs more room: 30 columns and 5 rows at least.";
        let room = usize::from(area.width);
        let buf = canvas.buffer_mut();
        for (y, line) in (area.y..area.bottom()).zip(text::wrap(text, room)) {
            buf.set_string(area.x, y, line, model.theme.dim());
        }
        return;
    }
    for (number, id, tile) in tiles {
        heading(model, number, id, tile.heading, canvas.buffer_mut());
        if tile.heading.x > area.x {
            let buf = canvas.buffer_mut();
            for y in tile.heading.y..tile.body.bottom() {
                let line = model.theme.glyph("│");
                buf.set_string(tile.heading.x - 1, y, line, model.theme.rule());
            }
        }
        if model.current_id() == Some(id) {
            pane::draw(model, tile.body, canvas);
        } else {
            live::draw(model, id, tile.body, canvas);
        }
    }
}

/// `━━ 1 ● web :3000 ━━━` for the selected tile, `── 2 ● tests  1m12s +9 ───` for another.
fn heading(model: &Model, number: usize, id: &SessionId, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let Some(job) = model.job(id) else {
        return;
    };
    let is_current = model.current_id() == Some(id);
    let (line, line_style) = if is_current {
        (theme.glyph("━"), theme.key())
    } else {
        (theme.glyph("─"), theme.rule())
    };
    let width = usize::from(area.width);
    buf.set_string(area.x, area.y, line.repeat(width), line_style);
    let room = width.saturating_sub(LINES);
    let state = job.state();
    let number = format!("{} ", number + 1);
    let glyph = format!("{} ", state.glyph(theme.ascii));
    let fixed = text::width(&number) + text::width(&glyph);
    let name = text::clip_middle(&job.name, room.saturating_sub(fixed), theme.glyph("…"));
    let mut name_style = theme.strong();
    if is_current && model.mode().types() {
        name_style = name_style.add_modifier(Modifier::UNDERLINED);
    }
    let mut parts = vec![
        (number, theme.dim()),
        (glyph, theme.state(&state)),
        (name, name_style),
    ];
    let mut left = room.saturating_sub(fixed + text::width(&parts[2].0));
    for (word, style) in words(model, job, &state) {
        let word = format!(" {word}");
        if text::width(&word) <= left {
            left -= text::width(&word);
            parts.push((word, style));
        }
    }
    // Two columns of the rule, a blank, the words, a blank, and the rest of the rule.
    let mut x = usize::from(area.x) + 2;
    let end = usize::from(area.right());
    parts.insert(0, (" ".to_owned(), theme.plain()));
    parts.push((" ".to_owned(), theme.plain()));
    for (text, style) in parts {
        if let Ok(at) = u16::try_from(x)
            && x < end
        {
            buf.set_stringn(at, area.y, &text, end - x, style);
        }
        x += text::width(&text);
    }
}

/// The words of a heading after the name, most important first.
fn words(model: &Model, job: &Job, state: &State) -> Vec<(String, Style)> {
    let theme = &model.theme;
    let mut words = Vec::new();
    if !state.runs() {
        words.push((format!(" {}", job.word()), theme.state(state)));
    }
    if let Some(port) = job.record.summary.ports.iter().flatten().next() {
        words.push((format!(":{port}"), theme.plain()));
    } else if state.runs() {
        words.push((format!(" {}", model.time_of(job)), theme.dim()));
    }
    if job.is_agents() {
        words.push(("A".to_owned(), theme.key()));
    }
    if let Some((_, fresh)) = model.seen.mark(job.id()) {
        words.push((format!("+{}", fresh.min(MOST_UNSEEN)), theme.key()));
    }
    if model.list.marked.contains(job.id()) && !model.grid.of_marked {
        words.push(("marked".to_owned(), theme.key()));
    }
    words
}
