//! The card of a failed job, or of one that waits, below the end of its output.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::waiting;
use crate::protocol::run::Run;
use crate::term::sanitize::clean;
use crate::term::screen::Screen;
use crate::tui::crop;
use crate::tui::keymap::NORMAL;
use crate::tui::model::Model;
use crate::tui::model::card::Card;
use crate::tui::model::job::Job;
use crate::tui::pane::live;
use crate::tui::{text, units};

/// Indentation of the lines below the heading.
pub(super) const INDENT: &str = "   ";

/// Draws the card and returns the part of `area` left for the job's screen above it. The last line
/// of output is always shown.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) -> Rect {
    let (above, lines) = place(model, area);
    for (y, line) in (above.bottom()..).zip(lines) {
        buf.set_line(area.x, y, &line, area.width);
    }
    above
}

/// The part of `area` above the card, or all of it if there is no card.
pub fn above(model: &Model, area: Rect) -> Rect {
    place(model, area).0
}

/// The part of `area` above the card, and the lines of the card.
fn place(model: &Model, area: Rect) -> (Rect, Vec<Line<'static>>) {
    let Some((job, mut lines)) = shown(model, usize::from(area.width)) else {
        return (area, Vec::new());
    };
    let is_blank = model
        .shown_screen(job.id())
        .is_none_or(|screen| used(screen) <= 1);
    let most = if is_blank {
        area.height
    } else {
        area.height / 2
    };
    lines.truncate(usize::from(most));
    let height = u16::try_from(lines.len()).unwrap_or(0);
    let used = model
        .shown_screen(job.id())
        .map_or(0, used)
        .saturating_add(live::separator_rows(model, job.id()));
    let top = (area.y + used).min(area.bottom() - height);
    let above = Rect {
        height: top - area.y,
        ..area
    };
    (above, lines)
}

/// The job in the pane and the lines of its card, unless the mode hides it.
fn shown(model: &Model, width: usize) -> Option<(&Job, Vec<Line<'static>>)> {
    if model.in_grid() || model.mode().types() || model.scrolls() {
        return None;
    }
    if let Some((job, card)) = card(model) {
        return Some((job, lines(model, job, card, width)));
    }
    let job = model.current()?;
    Some((job, waiting::lines(model, job, width)?))
}

/// The failed job in the pane and its card.
fn card(model: &Model) -> Option<(&Job, &Card)> {
    let job = model.current().filter(|job| job.state().failed())?;
    // Show the card only when it is complete, because a card that grows while it is read is
    // distracting.
    let card = model
        .cards
        .get(job.id())
        .filter(|card| card.output.is_some())?;
    (card.ended_at == job.record.summary.ended_at).then_some((job, card))
}

/// Rows that the screen needs, including one blank row after its last line.
fn used(screen: &Screen) -> u16 {
    let written = crop::last_written_row(screen);
    let blank = written == 0 && screen.rows_text(true).is_empty();
    let rows = if blank { 0 } else { written + 2 };
    rows.max(screen.cursor().row + 1)
}

fn lines(model: &Model, job: &Job, card: &Card, width: usize) -> Vec<Line<'static>> {
    let theme = &model.theme;
    let state = job.state();
    let more = theme.glyph("…");
    let glyph = state.glyph(theme.ascii);
    let how = card.how(&job.record);
    let mut words = format!("{glyph} failed: {how}");
    let mut meaning = None;
    if text::width(&words) + 6 > width {
        // In a narrow pane, the heading gives the exit code and the next line explains it.
        let parts = how
            .split_once(", ")
            .filter(|(first, _)| !first.contains(": "));
        let parts = parts.or_else(|| how.split_once(": "));
        let (first, second) = parts.unwrap_or((&how, ""));
        words = format!("{glyph} failed: {first}");
        meaning = Some(second.to_owned()).filter(|second| !second.is_empty());
    }
    let mut lines = heading(model, job, &words, width);
    let room = width.saturating_sub(INDENT.len());
    let mut indented = |text: &str, style: Style| {
        let text = text::clip(text, room, more);
        lines.push(Line::styled(format!("{INDENT}{text}"), style));
    };
    for part in text::wrap(&meaning.unwrap_or_default(), room.max(8)) {
        if !part.is_empty() {
            indented(&part, theme.state(&state));
        }
    }
    // For a command that was not found the heading says everything.
    let says_all = matches!(job.record.summary.exit_code, Some(126 | 127));
    if let Some(error) = card.error.as_ref().filter(|_| !says_all) {
        indented(error, Style::new());
    }
    for line in fit(&facts(model, job, card), ", ", room) {
        indented(&line, theme.dim());
    }
    lines.push(keys(model, job, room));
    lines
}

/// `── ✗ failed: exit 1 ────`
pub(super) fn heading(model: &Model, job: &Job, words: &str, width: usize) -> Vec<Line<'static>> {
    let theme = &model.theme;
    let rule = theme.glyph("─");
    let words = text::clip(words, width.saturating_sub(6), theme.glyph("…"));
    let rest = width.saturating_sub(text::width(&words) + 4);
    vec![Line::from(vec![
        Span::styled(format!("{rule}{rule} "), theme.rule()),
        Span::styled(words, theme.state(&job.state())),
        Span::styled(format!(" {}", rule.repeat(rest)), theme.rule()),
    ])]
}

/// When it ran, how long, who started it, and the comparison with the previous run. The first ones
/// are dropped last.
pub fn facts(model: &Model, job: &Job, card: &Card) -> Vec<String> {
    let zone = &model.zone;
    let took = i64::try_from(job.record.summary.runtime_ms).unwrap_or(i64::MAX);
    let mut facts = vec![format!("ran {}", units::took(took))];
    if let Some(run) = &card.run {
        let at = run.started_at.millis();
        let day = units::since(at, model.now.ms, zone);
        let at = if day.ends_with("ago") {
            day
        } else {
            units::clock_seconds(at, zone)
        };
        let by = starter(job, run).map(|by| format!(" by {by}"));
        facts.push(format!("started {at}{}", by.unwrap_or_default()));
    }
    facts.extend(card.compared());
    facts
}

/// Who started a run; `None` if it began by itself, or may have: a later run of a job with a restart policy.
fn starter(job: &Job, run: &Run) -> Option<String> {
    let by_itself = run.because.is_some() || (run.run > 1 && job.record.restart.is_some());
    match job.is_agents() {
        _ if by_itself => None,
        true => Some(clean(job.record.scope.as_str())),
        false => Some("you".to_owned()),
    }
}

/// Joins the parts into as few lines as possible.
fn fit(parts: &[String], between: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if text::width(line) + between.len() + text::width(part) <= room => {
                line.push_str(between);
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

fn keys(model: &Model, job: &Job, room: usize) -> Line<'static> {
    let continued = job.continued_by();
    let continued = continued.map(|line| format!("start with {line}"));
    let labelled = [
        ("resume", continued.as_deref().unwrap_or_default()),
        ("restart", "restart"),
        ("copy-report", "copy report"),
        ("pager", "log"),
        ("edit", "edit"),
        ("remove", "remove"),
    ];
    let labelled = labelled.into_iter().filter(|(_, label)| !label.is_empty());
    let labelled = labelled.map(|(action, label)| match action {
        // A long command is cut, because it is what the person decides about.
        "resume" => (action, text::clip(label, room / 2, model.theme.glyph("…"))),
        _ => (action, label.to_owned()),
    });
    key_line(model, labelled, room)
}

/// The keys of actions with their labels, as many as there is room for. A view that may only look shows only those
/// that change nothing.
pub(super) fn key_line(
    model: &Model,
    labelled: impl IntoIterator<Item = (&'static str, String)>,
    room: usize,
) -> Line<'static> {
    let mut spans = vec![Span::raw(INDENT)];
    let mut used = 0;
    for (action, label) in labelled {
        let acts = !matches!(action, "copy-report" | "pager" | "details");
        let Some(key) = model.keymap.key_named(NORMAL, action) else {
            continue;
        };
        let key = key.to_owned();
        let width = text::width(&key) + 1 + text::width(&label) + 3;
        if acts && model.options.read_only || used + width > room + 3 {
            continue;
        }
        used += width;
        spans.push(Span::styled(key, model.theme.key()));
        spans.push(Span::styled(format!(" {label}   "), Style::new()));
    }
    Line::from(spans)
}
