//! Draws the plan above the status line, over the lower part of the body.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Plan;
use crate::protocol::reply::{ChangeKind, Fate, PlannedChange};
use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::state::State;
use crate::tui::text;

/// Rows of the body that stay free above the plan.
const KEPT: u16 = 2;

/// Columns of the badge, the alarms and the answers.
const BESIDE: usize = 58;

/// `shop: 2 restart, 1 starts?`, or `shop: 2~ 1+?` if there is little room.
pub(super) fn question(plan: &Plan, area: Rect) -> String {
    let words = [
        (ChangeKind::Start, "starts", "start"),
        (ChangeKind::Restart, "restarts", "restart"),
        (ChangeKind::Apply, "changes", "change"),
        (ChangeKind::Rename, "is renamed", "are renamed"),
        (
            ChangeKind::Gone,
            "is not in the file",
            "are not in the file",
        ),
    ];
    let counts = words.map(|(kind, one, several)| match plan.count(kind) {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {several}")),
    });
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let whole = format!("{}: {}?", clean(&plan.name), counts.join(", "));
    if text::width(&whole) + BESIDE <= usize::from(area.width) {
        return whole;
    }
    let signs = words.map(|(kind, ..)| match plan.count(kind) {
        0 => None,
        n => Some(format!("{n}{}", kind.sign())),
    });
    let signs: Vec<String> = signs.into_iter().flatten().collect();
    if area.width < 60 {
        signs.join(" ")
    } else {
        format!("{}: {}", clean(&plan.name), signs.join(" "))
    }
}

/// Number of lines, and of visible ones.
pub(super) fn size(model: &Model, plan: &Plan) -> (usize, usize) {
    let layout = model.layout();
    let (width, height) = model.window;
    let top = layout.top.map_or(0, |top| top.bottom());
    let end = layout.status.map_or(height, |status| status.y);
    let body = Rect::new(0, top, width, end.saturating_sub(top));
    let lines = lines(model, plan, body.width).len();
    (lines, usize::from(rows(lines, body)))
}

/// Rows for so many lines, without the rule above them.
fn rows(lines: usize, body: Rect) -> u16 {
    let lines = u16::try_from(lines).unwrap_or(u16::MAX);
    lines.min(body.height.saturating_sub(KEPT + 1)).max(1)
}

/// Draws the plan.
pub(super) fn draw(model: &Model, plan: &Plan, body: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let lines = lines(model, plan, body.width);
    let rows = rows(lines.len(), body).min(body.height.saturating_sub(1));
    let area = Rect::new(body.x, body.bottom() - rows - 1, body.width, rows + 1);
    for place in area.positions() {
        if let Some(cell) = buf.cell_mut(place) {
            cell.reset();
        }
    }
    let width = usize::from(area.width);
    buf.set_string(area.x, area.y, theme.glyph("─").repeat(width), theme.rule());
    let heading = format!(" what a reload of {} changes ", clean(&plan.name));
    let heading = text::clip(&heading, width.saturating_sub(10), theme.glyph("…"));
    buf.set_string(area.x + 1, area.y, heading, theme.dim());
    let last = lines.len().saturating_sub(usize::from(rows));
    let top = plan.top.min(last);
    if last > 0 {
        let shown = (top + usize::from(rows)).min(lines.len());
        let place = format!(" {shown}/{} ", lines.len());
        let shift = width.saturating_sub(place.len() + 1);
        let x = area.x + u16::try_from(shift).unwrap_or(0);
        buf.set_string(x, area.y, place, theme.dim());
    }
    for (y, (sign, text, style)) in (area.y + 1..area.bottom()).zip(lines.iter().skip(top)) {
        buf.set_stringn(area.x + 1, y, sign, width.saturating_sub(1), *style);
        buf.set_stringn(
            area.x + 3,
            y,
            text,
            width.saturating_sub(3),
            line_style(sign, model),
        );
    }
}

/// The style of the text beside a sign: what stays as it is, is dim.
fn line_style(sign: &str, model: &Model) -> Style {
    match sign {
        "=" | "" => model.theme.dim(),
        _ => Style::new(),
    }
}

type Line = (String, String, Style);

fn lines(model: &Model, plan: &Plan, width: u16) -> Vec<Line> {
    let theme = &model.theme;
    let room = usize::from(width).saturating_sub(4).max(8);
    let mut lines = Vec::new();
    let mut add = |sign: &str, text: &str, style: Style| {
        for (at, part) in text::wrap(text, room).into_iter().enumerate() {
            let (sign, part) = match at {
                0 => (sign, part),
                _ => ("", part),
            };
            lines.push((sign.to_owned(), part, style));
        }
    };
    for change in &plan.changes {
        let style = match change.change {
            ChangeKind::Start => theme.state(&State::Running),
            ChangeKind::Restart => theme.state(&State::Retrying(1)),
            ChangeKind::Apply | ChangeKind::Rename => theme.key(),
            ChangeKind::Keep => theme.dim(),
            ChangeKind::Gone => theme.state(&State::Failed(1)),
        };
        add(&change.change.sign().to_string(), &words(change), style);
    }
    for warning in &plan.warnings {
        add("", &format!("warning: {}", clean(warning)), theme.dim());
    }
    lines
}

/// `api (run changed)`.
fn words(change: &PlannedChange) -> String {
    let job = clean(&change.job);
    let note = match change.fate {
        Some(Fate::GoesOn) => Some("is not in the file, and goes on".to_owned()),
        Some(Fate::Stopped) => Some("is not in the file; it is stopped".to_owned()),
        Some(Fate::ScheduleEnds) => Some("is not in the file; its schedule ends".to_owned()),
        None => change.note.as_deref().map(clean),
    };
    match note {
        Some(note) => format!("{job} ({note})"),
        None => job,
    }
}
