//! The list of jobs: its rows, the selection and the marks, and how they are drawn.

mod columns;
pub mod fold;
pub mod mark;
mod marks;
mod progress;
pub mod reconcile;
mod row;
pub mod select;
pub mod width;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::Span;

use self::columns::Columns;
use self::row::put;
use crate::protocol::reply::HostState;
use crate::term::sanitize::clean;
use crate::tui::model::counts::Counts;
use crate::tui::model::hosts;
use crate::tui::model::job::Job;
use crate::tui::model::rows::{Group, Row};
use crate::tui::model::{Model, Selected};
use crate::tui::state::State;
use crate::tui::theme::Theme;
use crate::tui::{text, units};

/// Draws the rows that fit.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width);
    let columns = Columns::of(model, width);
    if model.list.rows.is_empty() {
        let text = format!(" No job matches /{}", model.list.filter);
        let text = text::clip(&text, width, model.theme.glyph("…"));
        buf.set_string(area.x, area.y, text, model.theme.dim());
        return;
    }
    let rows = model
        .list
        .rows
        .iter()
        .enumerate()
        .skip(model.list.top)
        .take(usize::from(area.height));
    for (y, (at, row)) in (area.y..).zip(rows) {
        let line = Rect::new(area.x, y, area.width, 1);
        let selected = at == model.list.cursor && model.list.selected != Selected::Nothing;
        match row {
            Row::Group(group) => header(model, group, columns, selected, line, buf),
            Row::Job(index) => {
                if let Some(job) = model.jobs.get(*index) {
                    row::draw(model, job, columns, selected, line, buf);
                }
            }
        }
    }
}

/// Draws a sign at the edge of the list where more rows are above or below: on the divider, or in the
/// last column if there is none.
pub fn draw_edges(model: &Model, area: Rect, buf: &mut Buffer) {
    let x = match model.layout().divider {
        Some(divider) => divider.x,
        None => area.right().saturating_sub(1),
    };
    let theme = &model.theme;
    if model.list.top > 0 {
        buf.set_string(x, area.y, theme.glyph("▲"), theme.key());
    }
    if model.list.top + usize::from(area.height) < model.list.rows.len() {
        let last = area.bottom().saturating_sub(1);
        buf.set_string(x, last, theme.glyph("▼"), theme.key());
    }
}

/// Columns of a title that its counts leave to it.
const LEAST_TITLE: usize = 8;

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
        (counts.scheduled, State::Scheduled),
        (counts.done, State::Done),
        (counts.killed, State::Killed(String::new())),
    ] {
        if n > 0 {
            let text = format!("{n}{}", state.glyph(theme.ascii));
            spans.push(Span::styled(text, theme.state(&state)));
        }
    }
    let end = usize::from(line.width).saturating_sub(1 + columns.marks);
    let taken = |spans: &[Span<'_>]| -> usize {
        let widths = spans.iter().map(|span| text::width(&span.content) + 1);
        widths.sum()
    };
    // The name says more than the number of those at rest.
    let least = text::width(&group.title).min(LEAST_TITLE);
    while spans.len() > 1 && 2 + least + 1 + taken(&spans) > end + 1 {
        spans.pop();
    }
    let widths = taken(&spans);
    let start = end.saturating_sub(widths.saturating_sub(1));
    let (words, is_paused) = queue_words(model, group);
    // A paused queue is not to be missed, whatever its name.
    let shortest = words.last().filter(|_| is_paused);
    let kept = shortest.map_or(0, |word| text::width(word) + 1);
    let room = start.saturating_sub(3 + kept);
    let title = text::clip_middle(&group.title, room, theme.glyph("…"));
    let mut style = theme.strong();
    if selected {
        // A header has no cursor bar, and the selection must be visible without colour too.
        style = style.add_modifier(Modifier::REVERSED);
    }
    put(buf, line, 0, arrow, theme.dim());
    put(buf, line, 2, &title, style);
    if let Some(words) = host_words(model, group) {
        let at = 2 + text::width(&title) + 1;
        let words = text::clip(&words, start.saturating_sub(at + 1), theme.glyph("…"));
        put(buf, line, at, &words, theme.dim());
    } else {
        let at = 2 + text::width(&title) + 1;
        let fits = |word: &&String| at + text::width(word) < start;
        let style = if is_paused {
            theme.state(&State::Paused)
        } else {
            theme.dim()
        };
        if let Some(word) = words.iter().find(fits) {
            put(buf, line, at, word, style);
        }
    }
    let mut x = start;
    for span in spans {
        put(buf, line, x, &span.content, span.style);
        x += text::width(&span.content) + 1;
    }
}

/// What the heading says of the queue of its jobs, longest first, and whether that is paused: `· paused: build failed,
/// 1 at once`. That of a project has jobs beside its queue, so it says only that the queue is paused, and its name.
fn queue_words(model: &Model, group: &Group) -> (Vec<String>, bool) {
    let Some(queue) = model.queue_of_heading(&group.key) else {
        return (Vec::new(), false);
    };
    let of_project = group.key.project().is_some();
    let dot = model.theme.glyph("·");
    let parallel = format!("{} at once", queue.parallel);
    if !queue.paused {
        let words = [format!("{dot} {parallel}")];
        return (words.into_iter().filter(|_| !of_project).collect(), false);
    }
    let name = if of_project {
        format!("{} ", clean(&queue.queue))
    } else {
        String::new()
    };
    let why = queue.why.as_deref().map(|why| format!(": {}", clean(why)));
    let mut words = Vec::new();
    if let Some(why) = why {
        words.push(format!("{dot} {name}paused{why}, {parallel}"));
        words.push(format!("{dot} {name}paused{why}"));
    }
    words.push(format!("{dot} {name}paused, {parallel}"));
    words.push(format!("{dot} {name}paused"));
    words.push(format!("{dot} paused"));
    words.push(State::Paused.glyph(model.theme.ascii).to_owned());
    (words, true)
}

/// What the heading of a host says of it: why and since when it is not connected.
fn host_words(model: &Model, group: &Group) -> Option<String> {
    let host = model.host(group.key.host()?)?;
    let headings = model.list.rows.iter().filter_map(|row| match row {
        Row::Group(group) => Some(&group.key),
        Row::Job(_) => None,
    });
    let mut of_host = headings.filter(|key| key.host() == Some(&host.name));
    // Once is enough.
    if of_host.next() != Some(&group.key) {
        return None;
    }
    let seen = host.last_seen.filter(|at| at.millis() > 0).map(|at| {
        let age = units::ago(model.now.ms.saturating_sub(at.millis()));
        format!("seen {age}")
    });
    let words: Vec<String> = match (&host.error, host.state) {
        (Some(error), _) => [Some(hosts::trouble(error)), seen]
            .into_iter()
            .flatten()
            .collect(),
        (None, HostState::Disconnected) => vec!["disconnected".to_owned()],
        (None, HostState::Connecting) => vec!["connecting".to_owned()],
        (None, _) => return None,
    };
    Some(format!("{} {}", model.theme.glyph("·"), words.join(", ")))
}

/// The command; for a job of a project why it waits or has failed, its next run, its URL or its ports, if there are
/// any.
fn about(model: &Model, job: &Job) -> String {
    let Some(role) = job.role() else {
        return job.command.clone();
    };
    let next = role.next_start().map(|at| {
        let at = units::moment_ahead(at, model.now.ms, &model.zone);
        format!("next {at}")
    });
    let state = job.state();
    let url = role
        .url
        .as_deref()
        .map(clean)
        .filter(|_| job.is_going() && !state.waits());
    let given = role
        .ports
        .iter()
        .filter(|_| job.is_going() && !state.waits());
    let ports = match job.ports() {
        [] => given.map(|port| format!(":{port}")).collect(),
        ports => ports
            .iter()
            .map(|port| format!(":{port}"))
            .collect::<Vec<_>>(),
    };
    let url = url.or_else(|| job.url());
    let facts: Vec<String> = next.into_iter().chain(job.why()).chain(url).collect();
    match (facts.is_empty(), ports.is_empty()) {
        (false, _) => facts.join(", "),
        (true, false) => ports.join(" "),
        (true, true) => job.command.clone(),
    }
}

/// Largest width of a column of [`group_lines`].
const WIDEST: usize = 24;

/// The jobs of a group, shown in the pane while its header is selected: name, state, time, and what else is to be
/// said or the command, in columns.
pub fn group_lines(model: &Model, group: &Group) -> Vec<(State, String)> {
    let jobs = group.jobs.iter().filter_map(|&index| model.jobs.get(index));
    let rows = jobs.map(|job| (job, [job.name.clone(), job.word(), model.time_of(job)]));
    let rows: Vec<_> = rows.collect();
    let widest = |column: usize| {
        let widths = rows.iter().map(|(_, row)| text::width(&row[column]));
        widths.max().unwrap_or(0).min(WIDEST)
    };
    let widths = [0, 1, 2].map(widest);
    let lines = rows.iter().map(|(job, row)| {
        let cells = row.iter().zip(widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| {
            let cell = text::clip_middle(cell, width, model.theme.glyph("…"));
            let blank = " ".repeat(width.saturating_sub(text::width(&cell)));
            match column {
                2 => format!("{blank}{cell}  "),
                _ => format!("{cell}{blank}  "),
            }
        });
        let cells: String = cells.collect();
        (job.state(), cells + &about(model, job))
    });
    lines.collect()
}

/// The states that are counted, in the order of their counts.
pub fn counted(counts: Counts) -> Vec<(usize, State)> {
    let all = [
        (counts.running, State::Running),
        (counts.queued, State::Queued),
        (counts.input, State::NeedsInput),
        (counts.paused, State::Paused),
        (counts.retrying, State::Retrying(1)),
        (counts.failed, State::Failed(1)),
        (counts.skipped, State::Skipped),
    ];
    all.into_iter().filter(|(n, _)| *n > 0).collect()
}

/// Counts with glyphs: `5● 1? 1✗`.
pub fn glyph_counts(theme: &Theme, counts: Counts) -> Vec<Span<'static>> {
    let all = counted(counts).into_iter();
    all.map(|(n, state)| glyph_count(theme, n, &state))
        .collect()
}

/// A count with the glyph of its state: `5●`.
pub fn glyph_count(theme: &Theme, n: usize, state: &State) -> Span<'static> {
    let text = format!("{n}{}", state.glyph(theme.ascii));
    Span::styled(text, theme.state(state))
}

/// `marked 4`.
pub fn marked(model: &Model) -> String {
    format!("marked {}", model.list.marked.len())
}
