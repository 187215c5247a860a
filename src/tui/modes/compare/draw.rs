//! COMPARE: two logs beside each other, or above each other in a narrow window. A sign says how the
//! lines of a pair differ; lines that are equal are dim.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::pairs::{Compare, Side};
use crate::term::align::Pair;
use crate::tui::bar::Bar;
use crate::tui::model::Model;
use crate::tui::units::clock_seconds;
use crate::tui::{status, text};

/// Minimum width in columns at which the logs are beside each other.
const WIDE: u16 = 80;
/// Columns of the sign between the logs, or before them, with its blanks.
const SIGN: u16 = 3;

/// Where a log is drawn: its title, and its lines.
struct Column {
    title: Rect,
    lines: Rect,
}

/// Number of visible pairs.
pub(super) fn height(model: &Model) -> usize {
    columns(model)
        .iter()
        .map(|column| usize::from(column.lines.height))
        .min()
        .unwrap_or(0)
        .max(1)
}

/// The width of the longest line.
pub(super) fn widest(compare: &Compare) -> usize {
    let lines = compare.sides.iter().filter_map(|side| side.lines.as_ref());
    let widths = lines.flatten().map(|line| text::width(line));
    widths.max().unwrap_or(0).saturating_sub(1)
}

/// Draws both logs over everything but the status line.
pub(super) fn draw(model: &Model, compare: &Compare, buf: &mut Buffer) {
    let columns = columns(model);
    let [left, right] = compare.sides.each_ref().map(|side| model.name_of(&side.id));
    let has_same_name = left == right;
    for (column, side) in columns.iter().zip(&compare.sides) {
        draw_title(model, side, has_same_name, column.title, buf);
    }
    let first = columns[0].lines;
    if !compare.is_loaded() {
        let room = usize::from(first.width);
        buf.set_stringn(first.x, first.y, "reading ...", room, model.theme.dim());
        return;
    }
    let pairs = compare.pairs.iter().enumerate().skip(compare.top);
    for (row, (at, pair)) in (0..).zip(pairs).take(height(model)) {
        let marked = compare.is_marked(at);
        let style = match (pair.is_equal, marked) {
            (true, _) => model.theme.dim(),
            (false, true) => model.theme.strong(),
            (false, false) => Style::new(),
        };
        let sign_style = if marked {
            model.theme.found(true)
        } else {
            model.theme.key()
        };
        let lines = [pair.left, pair.right];
        for ((column, side), line) in columns.iter().zip(&compare.sides).zip(lines) {
            let area = column.lines;
            let found = side.lines.as_ref().zip(line);
            let line = found.and_then(|(lines, at)| lines.get(at));
            if let Some(line) = line {
                let text = shifted(line, compare.pan);
                let text = text::clip(&text, usize::from(area.width), model.theme.glyph("…"));
                buf.set_string(area.x, area.y + row, text, style);
            }
            // Above each other, both logs have the sign; beside each other, it stands between them.
            let has_sign = area.x >= SIGN;
            if !pair.is_equal && has_sign {
                let x = area.x.saturating_sub(SIGN - 1);
                buf.set_string(x, area.y + row, sign(pair), sign_style);
            }
        }
    }
}

/// The status line: which difference is marked, and which part is visible.
pub(super) fn bar(model: &Model, compare: &Compare, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = status::bar(model, area);
    if !compare.is_loaded() {
        return bar;
    }
    let found = match compare.differences.len() {
        0 => "no difference".to_owned(),
        n => format!("difference {} of {n}", compare.at + 1),
    };
    bar.text(1, found, theme.strong());
    if compare.sides.iter().any(|side| side.is_cut) {
        bar.text(3, "only the newest lines", theme.dim());
    }
    let lines = compare.pairs.len();
    let bottom = (compare.top + height(model)).min(lines);
    bar.right(
        2,
        vec![Span::styled(format!("{bottom}/{lines}"), theme.dim())],
    );
    bar
}

/// The name of a job and its command. With `has_same_name`, the start tells it from the other one.
fn draw_title(model: &Model, side: &Side, has_same_name: bool, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    let room = usize::from(area.width);
    let job = model.job(&side.id);
    let mut name = model.name_of(&side.id);
    if let Some(job) = job.filter(|_| has_same_name) {
        let summary = &job.record.summary;
        let started = summary.started_at.unwrap_or(summary.created_at).millis();
        name = format!("{name} of {}", clock_seconds(started, &model.zone));
    }
    let name = text::clip_middle(&name, room, theme.glyph("…"));
    buf.set_string(area.x, area.y, &name, theme.strong());
    let Some(job) = job else {
        return;
    };
    let x = text::width(&name) + 2;
    let command = text::clip(&job.command, room.saturating_sub(x), theme.glyph("…"));
    let x = area.x + u16::try_from(x).unwrap_or(area.width);
    if x < area.right() && job.command != job.name {
        buf.set_string(x, area.y, command, theme.dim());
    }
}

/// How the lines of a pair differ, as sdiff(1) says it.
fn sign(pair: &Pair) -> &'static str {
    match (pair.left, pair.right) {
        (Some(_), None) => "<",
        (None, Some(_)) => ">",
        _ => "|",
    }
}

/// `line` without its first `columns` columns.
fn shifted(line: &str, columns: usize) -> String {
    let cut = text::head(line, columns);
    line[cut.len()..].to_owned()
}

fn columns(model: &Model) -> [Column; 2] {
    let (width, height) = model.window;
    let end = model.layout().status.map_or(height, |status| status.y);
    // A line says more than the title of a log of which there is no line.
    let column = |x: u16, y: u16, width: u16, height: u16| {
        let title = u16::from(height > 1);
        Column {
            title: Rect::new(x, y, width, title),
            lines: Rect::new(x, y + title, width, height - title),
        }
    };
    if width >= WIDE {
        let each = (width - SIGN - 2) / 2;
        return [
            column(1, 0, each, end),
            column(1 + each + SIGN, 0, each, end),
        ];
    }
    let (below, room) = (end / 2, width.saturating_sub(SIGN + 1));
    let above = end - below;
    [
        column(SIGN, 0, room, above),
        column(SIGN, above, room, below),
    ]
}
