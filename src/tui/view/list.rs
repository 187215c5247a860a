//! The list: `[cursor][glyph] name  [word]  [time]  [marks]`.
//!
//! Columns are the same for all rows, so that nothing jumps when one row changes. Glyph, name and exit code
//! never go; time goes first when there is no room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::top::glyph_counts;
use crate::tui::model::counts::Counts;
use crate::tui::model::job::Job;
use crate::tui::model::rows::{Group, Row};
use crate::tui::model::{Model, Selected};
use crate::tui::state::State;
use crate::tui::{text, units};

/// Cursor, glyph and a blank.
const LEAD: usize = 3;
/// `59m ago` is the longest usual time.
const TIME: usize = 7;
/// A name this short is no name; time makes room for it.
const SHORTEST_NAME: usize = 8;

/// Widths of the columns.
#[derive(Clone, Copy)]
struct Columns {
    /// Name and word together, the blank between them included.
    body: usize,
    /// Where the word begins in it; `None`: at its right end.
    word_at: Option<usize>,
    time: usize,
    marks: usize,
}

/// Draws the rows that fit.
pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width);
    let columns = columns(model, width);
    if model.rows.is_empty() {
        let text = format!(" No job matches /{}", model.filter);
        let text = text::clip(&text, width, model.theme.glyph("…"));
        buf.set_string(area.x, area.y, text, model.theme.dim());
        return;
    }
    let rows = model
        .rows
        .iter()
        .enumerate()
        .skip(model.list_top)
        .take(usize::from(area.height));
    for (y, (at, row)) in (area.y..).zip(rows) {
        let line = Rect::new(area.x, y, area.width, 1);
        let selected = at == model.cursor && model.selected != Selected::Nothing;
        match row {
            Row::Group(group) => header(model, group, columns, selected, line, buf),
            Row::Job(index) => {
                if let Some(job) = model.jobs.get(*index) {
                    job_row(model, job, columns, selected, line, buf);
                }
            }
        }
    }
}

fn columns(model: &Model, width: usize) -> Columns {
    let marks = match width {
        ..30 => 2,
        30..44 => 4,
        _ => 6,
    };
    let mut time = TIME;
    let body_with = |time: usize| {
        let gap = usize::from(time > 0);
        width.saturating_sub(LEAD + gap + time + 1 + marks)
    };
    if body_with(time) < SHORTEST_NAME {
        time = 0;
    }
    let body = body_with(time);
    let names = model.jobs.iter().map(|job| text::width(&job.name));
    let longest = names.max().unwrap_or(0);
    // Words in a column of their own where the longest names leave room for `exit 127`.
    let word_at = (body >= 20).then(|| (longest + 2).clamp(9, body - 8));
    Columns {
        body,
        word_at,
        time,
        marks,
    }
}

fn header(
    model: &Model,
    group: &Group,
    columns: Columns,
    selected: bool,
    line: Rect,
    buf: &mut Buffer,
) {
    let theme = &model.theme;
    if selected {
        buf.set_style(line, theme.selected());
    }
    let arrow = theme.glyph(if group.folded { "▸" } else { "▾" });
    let states = group.jobs.iter().filter_map(|&index| model.jobs.get(index));
    let counts = Counts::of(states.map(Job::state));
    let mut spans = glyph_counts(theme, counts);
    for (n, state) in [
        (counts.done, State::Done),
        (counts.killed, State::Killed("killed")),
    ] {
        if n > 0 {
            let text = format!("{n}{}", state.glyph(theme.ascii));
            spans.push(ratatui::text::Span::styled(text, theme.state(&state)));
        }
    }
    let end = usize::from(line.width).saturating_sub(1 + columns.marks);
    let widths: usize = spans
        .iter()
        .map(|span| text::width(&span.content) + 1)
        .sum();
    let start = end.saturating_sub(widths.saturating_sub(1));
    let room = start.saturating_sub(3);
    let title = text::clip_middle(&group.title, room, theme.glyph("…"));
    let mut style = theme.strong();
    if selected {
        // There is no bar in front of a header, and it must show without colour, too.
        style = style.add_modifier(Modifier::REVERSED);
    }
    put(buf, line, 0, arrow, theme.dim());
    put(buf, line, 2, &title, style);
    let mut x = start;
    for span in spans {
        put(buf, line, x, &span.content, span.style);
        x += text::width(&span.content) + 1;
    }
}

fn job_row(
    model: &Model,
    job: &Job,
    columns: Columns,
    selected: bool,
    line: Rect,
    buf: &mut Buffer,
) {
    let theme = &model.theme;
    let state = job.state();
    let style = theme.state(&state);
    if selected {
        buf.set_style(line, theme.selected());
        put(buf, line, 0, theme.glyph("▌"), theme.key());
    }
    put(buf, line, 1, state.glyph(theme.ascii), style);
    let name_width = text::width(&job.name);
    let word = pick_word(&state.row_words(), name_width, columns);
    let word_width = text::width(&word);
    let (name_room, word_at) = match columns.word_at {
        _ if word.is_empty() => (columns.body, 0),
        Some(at) => (at - 1, at),
        None => {
            let at = columns.body.saturating_sub(word_width);
            (at.saturating_sub(1), at)
        }
    };
    let name = text::clip_middle(&job.name, name_room, theme.glyph("…"));
    let name_style = if job.is_alive() {
        Style::new()
    } else {
        theme.dim().remove_modifier(Modifier::BOLD)
    };
    let name_style = if selected { Style::new() } else { name_style };
    put(buf, line, LEAD, &name, name_style);
    put(buf, line, LEAD + word_at, &word, style);
    let mut x = LEAD + columns.body;
    if columns.time > 0 {
        let time = job.time(model.now.ms);
        let time = text::clip(&time, columns.time, "");
        x += 1 + columns.time;
        put(buf, line, x - text::width(&time), &time, theme.dim());
    }
    let marks = marks(model, job, columns.marks);
    put(buf, line, x + 1, &marks, theme.key());
}

/// The longest word that leaves the name whole, else the shortest.
fn pick_word(words: &[String], name_width: usize, columns: Columns) -> String {
    let room = match columns.word_at {
        Some(at) => columns.body - at,
        None => columns.body.saturating_sub(name_width + 1),
    };
    let fits = words.iter().find(|word| text::width(word) <= room);
    let last = words.last().filter(|word| word.parse::<i32>().is_ok());
    fits.or(last).cloned().unwrap_or_default()
}

/// `⇡` while an agent types, `T` for a keyboard that one holds, `A` for an agent's job, `↻3` for one that was restarted: as many as fit.
fn marks(model: &Model, job: &Job, room: usize) -> String {
    let mut marks = Vec::new();
    if model.keyboards.agent_types(job.id()) {
        marks.push(model.theme.glyph("⇡").to_owned());
    }
    if model.keyboards.held.contains(job.id()) {
        marks.push("T".to_owned());
    }
    if job.is_agents() {
        marks.push("A".to_owned());
    }
    let restarts = job.record.summary.restarts;
    if restarts > 0 {
        marks.push(format!("{}{restarts}", model.theme.glyph("↻")));
    }
    let mut text = String::new();
    for mark in marks {
        let gap = usize::from(!text.is_empty());
        if text::width(&text) + gap + text::width(&mark) <= room {
            text.push_str(&" ".repeat(gap));
            text.push_str(&mark);
        }
    }
    text
}

/// The jobs of a group, for the pane while its header is selected.
pub(super) fn group_lines(model: &Model, group: &Group) -> Vec<(State, String)> {
    let jobs = group.jobs.iter().filter_map(|&index| model.jobs.get(index));
    jobs.map(|job| {
        let state = job.state();
        let time = match job.is_alive() {
            true => units::uptime(job.runtime(model.now.ms)),
            false => job.time(model.now.ms),
        };
        let line = format!("{}  {}  {time}  {}", job.name, state.word(), job.command);
        (state, line)
    })
    .collect()
}

fn put(buf: &mut Buffer, line: Rect, x: usize, text: &str, style: Style) {
    let room = usize::from(line.width).saturating_sub(x);
    if room > 0 {
        let x = line.x + u16::try_from(x).unwrap_or(line.width);
        buf.set_stringn(x, line.y, text, room, style);
    }
}
