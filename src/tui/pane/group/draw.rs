//! Draws the pane of a group: the jobs in at most a third of it, and their lines below, the newest at
//! the bottom.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::model::Model;
use crate::tui::model::hosts;
use crate::tui::model::merged::MergedLine;
use crate::tui::model::rows::Group;
use crate::tui::state::State;
use crate::tui::{list, text, units};

/// Minimum width in columns at which the times have seconds.
const SECONDS: usize = 48;
/// Maximum width in columns of the names.
const WIDEST_NAME: usize = 16;
/// Minimum height in rows for a rule between the jobs and their lines.
const RULED: u16 = 9;

/// The parts of the pane.
struct Areas {
    table: Rect,
    rule: Option<u16>,
    lines: Rect,
}

/// The parts of the pane of the selected group.
fn areas(model: &Model) -> Option<Areas> {
    let (group, area) = (model.group()?, model.layout().pane?);
    let jobs = u16::try_from(group.jobs.len()).unwrap_or(u16::MAX);
    // The phases of a project are of more interest than its lines.
    let part = match group.key.project_here() {
        Some(_) => area.height / 2,
        None => area.height / 3,
    };
    let height = jobs.min(part.max(1));
    let rule = (area.height >= RULED).then_some(area.y + height);
    let y = area.y + height + u16::from(rule.is_some());
    Some(Areas {
        table: Rect { height, ..area },
        rule,
        lines: Rect {
            y,
            height: area.bottom().saturating_sub(y),
            ..area
        },
    })
}

/// Draws the pane.
pub fn draw(model: &Model, group: &Group, buf: &mut Buffer) {
    let Some(areas) = areas(model) else {
        return;
    };
    draw_jobs(model, group, areas.table, buf);
    if let Some(y) = areas.rule {
        let width = areas.table.width.saturating_sub(1);
        let rule = model.theme.glyph("─").repeat(usize::from(width));
        buf.set_string(areas.table.x, y, rule, model.theme.rule());
    }
    draw_lines(model, group, areas.lines, buf);
}

fn draw_jobs(model: &Model, group: &Group, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let room = usize::from(area.width).saturating_sub(2);
    let jobs = group.jobs.len();
    let height = usize::from(area.height);
    let shown = if jobs > height { height - 1 } else { jobs };
    let mut y = area.y;
    for (state, line) in most_important(list::group_lines(model, group), shown) {
        let line = text::clip(&line, room, theme.glyph("…"));
        buf.set_string(area.x, y, state.glyph(theme.ascii), theme.state(&state));
        if room > 0 {
            buf.set_string(area.x + 2, y, line, Style::new());
        }
        y += 1;
    }
    if shown < jobs && height > 0 {
        let more = format!("{} {} more", theme.glyph("…"), jobs - shown);
        buf.set_stringn(area.x, y, more, room, theme.dim());
    }
}

/// As many of the jobs as there is room for, in their order. Those that call a person have a place before the others.
pub(super) fn most_important(jobs: Vec<(State, String)>, room: usize) -> Vec<(State, String)> {
    let mut ranked: Vec<_> = jobs.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, (state, _))| (!state.calls(), *at));
    ranked.truncate(room);
    ranked.sort_by_key(|(at, _)| *at);
    ranked.into_iter().map(|(_, job)| job).collect()
}

/// Whether all that runs in a group are full-screen programs, which leave no lines.
fn shows_full_screens(model: &Model, group: &Group) -> bool {
    let jobs = group.jobs.iter().filter_map(|at| model.jobs.get(*at));
    let mut alive = jobs.filter(|job| job.is_going()).peekable();
    alive.peek().is_some() && alive.all(|job| job.record.alt_screen)
}

fn draw_lines(model: &Model, group: &Group, area: Rect, buf: &mut Buffer) {
    let merged = &model.pane.merged;
    let width = area.width.saturating_sub(1);
    let area = Rect { width, ..area };
    if merged.lines.is_empty() {
        if !merged.is_loading() && area.height > 0 {
            put(area, 0, &no_lines(model, group), model.theme.dim(), buf);
        }
        return;
    }
    let columns = Columns::of(model, group, usize::from(width));
    let end = merged.lines.len() - merged.up.min(merged.lines.len());
    let mut bottom = area.bottom();
    for line in merged.lines[..end].iter().rev() {
        let rows = columns.rows(model, line);
        let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        let Some(top) = bottom.checked_sub(height).filter(|top| *top >= area.y) else {
            // Of a line that does not fit, the end is newer than nothing.
            let fits = usize::from(bottom - area.y);
            columns.draw_text(&rows[rows.len() - fits..], area, buf);
            return;
        };
        let part = Rect { y: top, ..area };
        columns.draw_origin(model, line, part, buf);
        columns.draw_text(&rows, part, buf);
        bottom = top;
    }
}

/// Why there are no lines.
fn no_lines(model: &Model, group: &Group) -> String {
    let host = group.key.host().and_then(|name| model.host(name));
    match host.and_then(|host| host.error.as_ref()) {
        Some(error) if model.options.read_only => {
            format!("Not connected: {}.", hosts::trouble(error))
        }
        Some(error) => format!(
            "Not connected: {}. {} logs in.",
            hosts::trouble(error),
            model.key("l")
        ),
        None if shows_full_screens(model, group) => {
            "No lines: what runs here draws on the whole screen.".to_owned()
        }
        None => "No output yet.".to_owned(),
    }
}

/// Draws text at a column of the first row of an area, cut at the end.
fn put(area: Rect, x: usize, text: &str, style: Style, buf: &mut Buffer) {
    let room = usize::from(area.width).saturating_sub(x);
    if room > 0 {
        let x = area.x + u16::try_from(x).unwrap_or(area.width);
        buf.set_stringn(x, area.y, text, room, style);
    }
}

/// Number of the oldest lines that fit into the pane.
pub(super) fn oldest_that_fit(model: &Model) -> usize {
    let (Some(group), Some(areas)) = (model.group(), areas(model)) else {
        return 0;
    };
    let area = areas.lines;
    let columns = Columns::of(model, group, usize::from(area.width).saturating_sub(1));
    let mut room = Some(usize::from(area.height));
    let fits = |line: &&MergedLine| {
        let rows = columns.rows(model, line).len();
        room = room.and_then(|room| room.checked_sub(rows));
        room.is_some()
    };
    model.pane.merged.lines.iter().take_while(fits).count()
}

/// Where the parts of a line begin, and how wide they are.
struct Columns {
    /// Whether the times have seconds.
    has_seconds: bool,
    lead: usize,
    name_width: usize,
    text_at: usize,
    room: usize,
}

impl Columns {
    fn of(model: &Model, group: &Group, width: usize) -> Self {
        let names = group.jobs.iter().filter_map(|&index| model.jobs.get(index));
        let widest = names.map(|job| text::width(&job.name)).max().unwrap_or(0);
        let name_width = widest.min(WIDEST_NAME).min(width / 4);
        let has_seconds = width >= SECONDS;
        let lead = if has_seconds { 9 } else { 6 };
        let text_at = lead + name_width + 1;
        Self {
            has_seconds,
            lead,
            name_width,
            text_at,
            room: width.saturating_sub(text_at).max(1),
        }
    }

    /// The text of a line in rows.
    fn rows(&self, model: &Model, line: &MergedLine) -> Vec<String> {
        if model.pane.wrap {
            broken(&line.text, self.room)
        } else {
            vec![text::clip(&line.text, self.room, model.theme.glyph("…"))]
        }
    }

    /// Draws when and by which job a line was written.
    fn draw_origin(&self, model: &Model, line: &MergedLine, area: Rect, buf: &mut Buffer) {
        let theme = &model.theme;
        let time = if self.has_seconds {
            units::clock_seconds(line.at, &model.zone)
        } else {
            units::clock(line.at, &model.zone)
        };
        put(area, 0, &time, theme.dim(), buf);
        let name = model.name_of(&line.id);
        let name = text::clip_middle(&name, self.name_width, theme.glyph("…"));
        let style = theme.name(model.pane.merged.color_of(&line.id));
        put(area, self.lead, &name, style, buf);
    }

    /// Draws the rows of a line from the top of an area on.
    fn draw_text(&self, rows: &[String], area: Rect, buf: &mut Buffer) {
        for (y, row) in (area.y..).zip(rows) {
            put(Rect { y, ..area }, self.text_at, row, Style::new(), buf);
        }
    }
}

/// `line` in rows of at most `room` columns. Blanks stay as they are.
fn broken(line: &str, room: usize) -> Vec<String> {
    let (mut rows, mut rest) = (Vec::new(), line);
    while text::width(rest) > room {
        let part = text::row(rest, room);
        rows.push(part.to_owned());
        rest = &rest[part.len()..];
    }
    rows.push(rest.to_owned());
    rows
}
