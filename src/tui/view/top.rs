//! The top line with the number of jobs in each state and the time; also the one-line view and the
//! banner.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::tui::bar::Bar;
use crate::tui::grid;
use crate::tui::list::{counted, glyph_count, marked};
use crate::tui::model::Model;
use crate::tui::model::counts::Counts;
use crate::tui::model::sort::Sort;
use crate::tui::state::State;
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;
use crate::tui::{text, units};

/// Draws the top line.
pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let counts = model.counts();
    let short = area.width < 60;
    let mut bar = Bar::new(match area.width {
        ..60 => 1,
        60..100 => 2,
        _ => 3,
    });
    bar.text(0, "bgproc", theme.strong());
    if short {
        for (n, state) in counted(counts) {
            bar.left(rank(&state), vec![glyph_count(theme, n, &state)]);
        }
        if !model.list.marked.is_empty() {
            bar.right(2, vec![Span::styled(marked(model), theme.key())]);
        }
        if model.list.sort != Sort::default() {
            let sorted = format!("by {}", model.list.sort.name());
            bar.right(5, vec![Span::styled(sorted, theme.key())]);
        }
        if model.list.filter.is_empty() {
            bar.right(6, vec![Span::styled("all", theme.dim())]);
        } else {
            let shown = format!("/{}", model.list.filter);
            let shown = text::clip(&shown, 14, theme.glyph("…"));
            bar.right(0, vec![Span::styled(shown, theme.key())]);
        }
    } else {
        for (n, word, state) in worded(counts) {
            bar.text(rank(&state), format!("{n} {word}"), theme.state(&state));
        }
        if counts == Counts::default() && model.daemon.listed {
            bar.text(1, "nothing running", theme.dim());
        }
        if let Some((shape, page)) = grid(model) {
            bar.text(2, shape, theme.key());
            if !page.is_empty() {
                bar.text(5, page, theme.dim());
            }
        }
        if !model.list.marked.is_empty() {
            bar.right(2, vec![Span::styled(marked(model), theme.key())]);
        }
        if !model.list.filter.is_empty() {
            let shown = format!("/{}", model.list.filter);
            bar.right(2, vec![Span::styled(shown, theme.key())]);
        }
        if model.list.sort != Sort::default() {
            let sorted = format!("by {}", model.list.sort.name());
            bar.right(5, vec![Span::styled(sorted, theme.key())]);
        }
        if !model.in_grid() {
            bar.right(6, vec![Span::styled("all projects", theme.dim())]);
        }
        let clock = units::clock(model.now.ms, &model.zone);
        bar.right(5, vec![Span::styled(clock, Style::new())]);
    }
    bar.draw(area, buf);
}

/// `grid 2x2`, and `5-8 of 9` if there are more tiles than fit.
fn grid(model: &Model) -> Option<(String, String)> {
    let shape = model.grid.shape(model.layout().grid?)?;
    let page = grid::page(model).unwrap_or_default();
    Some((format!("grid {}x{}", shape.columns, shape.rows), page))
}

fn worded(counts: Counts) -> Vec<(usize, &'static str, State)> {
    let needs = if counts.input == 1 {
        "needs input"
    } else {
        "need input"
    };
    let all = [
        (counts.running, "running", State::Running),
        (counts.queued, "queued", State::Queued),
        (counts.input, needs, State::NeedsInput),
        (counts.paused, "paused", State::Paused),
        (counts.retrying, "retrying", State::Retrying(1)),
        (counts.failed, "failed", State::Failed(1)),
        (counts.skipped, "skipped", State::Skipped),
    ];
    all.into_iter().filter(|(n, ..)| *n > 0).collect()
}

/// The rank of the count of a state: the alarms are dropped last, then the jobs that run.
fn rank(state: &State) -> u8 {
    match state {
        _ if state.calls() => 1,
        State::Running => 3,
        _ => 4,
    }
}

/// The whole view in a window that is too small for more than one line.
pub(super) fn too_small(model: &Model, canvas: &mut Canvas) {
    let area = canvas.area();
    let counts = counted(model.counts()).into_iter().map(|(n, state)| {
        let text = glyph_count(&model.theme, n, &state).content.into_owned();
        (rank(&state), text)
    });
    let mut counts: Vec<(u8, String)> = counts.collect();
    let line = |counts: &[(u8, String)]| {
        let texts: Vec<&str> = counts.iter().map(|(_, text)| text.as_str()).collect();
        format!("bgproc: {}", texts.join(" "))
    };
    // Whole items only, as everywhere.
    while counts.len() > 1 && text::width(&line(&counts)) > usize::from(area.width) {
        let last = counts.iter().enumerate().max_by_key(|(_, (rank, _))| *rank);
        let last = last.map_or(0, |(at, _)| at);
        counts.remove(last);
    }
    let short = line(&counts);
    let (advice, room) = ("make the window larger", usize::from(area.width));
    let whole = format!("{} ({advice})", short.trim_end());
    // Whole words or none; below if there is a line for it.
    let lines = if text::width(&whole) <= room {
        vec![whole]
    } else {
        std::iter::once(short)
            .chain(text::wrap(advice, room))
            .collect()
    };
    for (y, line) in (0..area.height).zip(lines) {
        canvas
            .buffer_mut()
            .set_stringn(0, y, line, room, Style::new());
    }
}

/// The line drawn over everything while the daemon is not connected. What it covers in part is left out.
pub(super) fn banner(model: &Model, buf: &mut Buffer) {
    let text = " daemon restarting, jobs are safe ";
    let room = usize::from(buf.area.width);
    let text = text::clip(text, room, "");
    let x = (room - text::width(&text)) / 2;
    let x = u16::try_from(x).unwrap_or(0);
    let width = buf.area.width;
    let (end, _) = buf.set_stringn(x, 0, text, room, model.theme.badge(Tone::Busy));
    blank_item(buf, (0..x).rev());
    blank_item(buf, end..width);
}

/// Blanks these cells of the top line up to the gap after which another item begins.
fn blank_item(buf: &mut Buffer, columns: impl Iterator<Item = u16>) {
    let mut was_blank = false;
    for x in columns {
        let cell = &mut buf[(x, 0)];
        let is_blank = cell.symbol() == " ";
        if is_blank && was_blank {
            return;
        }
        was_blank = is_blank;
        cell.set_symbol(" ");
    }
}
