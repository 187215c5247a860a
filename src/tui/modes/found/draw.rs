//! FOUND: the search line, and below it the matches: `web:1203: text`.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::block::{self, BlockRow};
use super::search::{Found, Hit, PER_JOB};
use crate::tui::bar::Bar;
use crate::tui::line;
use crate::tui::model::Model;
use crate::tui::window::Canvas;
use crate::tui::{status, text};

/// Number of rows for matches.
pub(super) fn height(model: &Model) -> usize {
    usize::from(model.above_status().height.saturating_sub(1))
}

/// Draws the search line and the matches over everything but the status line.
pub(super) fn draw(model: &Model, found: &Found, canvas: &mut Canvas) {
    let theme = &model.theme;
    let area = model.above_status();
    let height = height(model);
    let mut ys = area.y + 1..area.bottom();
    for (at, hit) in found.hits.iter().enumerate().skip(found.top) {
        if ys.is_empty() {
            break;
        }
        let rows = block::rows(found, at);
        // In a low window, the match itself is more important than the lines before it.
        let to_match = rows.iter().take_while(|row| **row != BlockRow::Match);
        let cut = (to_match.count() + 1).saturating_sub(height);
        for (row, y) in rows.into_iter().skip(cut).zip(&mut ys) {
            let line = Rect::new(area.x, y, area.width, 1);
            match row {
                BlockRow::Match => hit_row(model, found, hit, at == found.at, line, canvas),
                BlockRow::Context(n, text) => {
                    context_row(model, found, hit, (n, text), line, canvas);
                }
                BlockRow::Gap => {}
            }
        }
    }
    if found.hits.is_empty() && area.height > 1 {
        let text = match &found.pattern {
            _ if found.due.is_some() => "",
            Some(_) if found.pending() > 0 => "searching ...",
            Some(_) => "No line of any job matches.",
            None if !found.line.is_empty() => "One more character: too much matches a single one.",
            None => "A regular expression; case matters once it has a capital.",
        };
        let room = usize::from(area.width).saturating_sub(2);
        let rows = text::wrap(text, room);
        for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
            canvas
                .buffer_mut()
                .set_stringn(area.x + 1, y, row, room, theme.dim());
        }
    }
    let field = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
    let label = if area.width < 40 {
        "find: "
    } else {
        "find in all jobs: "
    };
    line::draw::field(theme, label, &found.line, true, field, canvas);
}

/// The status line: the number of matches, and what was left out.
pub(super) fn bar(model: &Model, found: &Found, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = status::bar(model, area);
    if found.pattern.is_some() {
        let mut jobs: Vec<_> = found.hits.iter().map(|hit| &hit.id).collect();
        jobs.dedup();
        let count = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let lines = match found.cut {
            0 => count(found.hits.len(), "line", "lines"),
            _ => format!("{}+ lines", found.hits.len()),
        };
        let of = count(jobs.len(), "job", "jobs");
        bar.text(1, format!("{lines} in {of}"), theme.strong());
        match found.pending() {
            0 => {}
            n => bar.text(2, format!("searching {n} more"), theme.dim()),
        }
        if found.cut > 0 {
            let jobs = count(found.cut, "job", "jobs");
            let text = format!("only the newest {PER_JOB} of {jobs}");
            bar.text(3, text, theme.dim());
        }
        if found.left() > 0 {
            let jobs = count(found.left(), "job", "jobs");
            bar.text(3, format!("{jobs} not searched"), theme.dim());
        }
        if !found.unasked.is_empty() {
            let text = format!("not on {}", found.unasked.join(", "));
            bar.text(3, text, theme.strong());
        }
        if !found.hits.is_empty() {
            let place = format!("[{}/{}]", found.at + 1, found.hits.len());
            bar.right(2, vec![Span::styled(place, theme.dim())]);
        }
    }
    bar
}

fn hit_row(model: &Model, found: &Found, hit: &Hit, here: bool, line: Rect, canvas: &mut Canvas) {
    let theme = &model.theme;
    let buf = canvas.buffer_mut();
    if here {
        buf.set_style(line, theme.selected());
        buf.set_string(line.x, line.y, theme.glyph("▌"), theme.key());
    }
    let width = usize::from(line.width).saturating_sub(1);
    let name = name(model, hit, width);
    let number = format!(":{:>1$}: ", hit.n, block::digits(found, hit));
    let lead = text::width(&name) + number.len();
    let room = width.saturating_sub(lead);
    let mut put = |x: usize, text: &str, style: Style| {
        let room = width.saturating_sub(x);
        let x = line.x + 1 + u16::try_from(x).unwrap_or(line.width);
        if room > 0 {
            buf.set_stringn(x, line.y, text, room, style);
        }
    };
    put(0, &name, theme.strong());
    put(text::width(&name), &number, theme.dim());
    // If the match is beyond the edge, cut the start of the line to show it.
    let first = found
        .pattern
        .as_ref()
        .and_then(|pattern| pattern.find(&hit.text));
    let shown = match first {
        Some(first) if text::width(&hit.text[..first.end()]) > room => {
            let before = text::tail(&hit.text[..first.start()], room / 3);
            let from = first.start() - before.len();
            format!("{}{}", theme.glyph("…"), &hit.text[from..])
        }
        _ => hit.text.clone(),
    };
    let shown = text::clip(&shown, room, theme.glyph("…"));
    put(lead, &shown, Style::new());
    let found = found
        .pattern
        .iter()
        .flat_map(|pattern| pattern.find_iter(&shown));
    for part in found.filter(|part| !part.is_empty()) {
        let x = lead + text::width(&shown[..part.start()]);
        put(x, part.as_str(), theme.found(here));
    }
}

/// The name of a match's job, at most a third of the width.
fn name(model: &Model, hit: &Hit, width: usize) -> String {
    let ellipsis = model.theme.glyph("…");
    text::clip_middle(&model.name_of(&hit.id), (width / 3).max(4), ellipsis)
}

/// A line of context: dim, its text below or above that of the match.
fn context_row(
    model: &Model,
    found: &Found,
    hit: &Hit,
    (n, text): (u64, &str),
    line: Rect,
    canvas: &mut Canvas,
) {
    let width = usize::from(line.width).saturating_sub(1);
    let name = name(model, hit, width);
    let digits = block::digits(found, hit);
    let row = format!("{name}-{n:>digits$}- {text}");
    let row = text::clip(&row, width, model.theme.glyph("…"));
    let buf = canvas.buffer_mut();
    buf.set_string(line.x + 1, line.y, row, model.theme.dim());
}
