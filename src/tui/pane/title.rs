//! The title line above the pane: the job and how its screen is shown, or the group.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::how_shown;
use crate::protocol::record::Asked;
use crate::term::sanitize::clean;
use crate::tui::bar::Bar;
use crate::tui::model::Model;
use crate::tui::model::job::{Job, tilde};
use crate::tui::model::rows::Group;
use crate::tui::state::State;
use crate::tui::text;

/// Maximum columns of a name followed by a question, as in the status line.
const NAME: usize = 24;

/// Least room for the words that say how the screen is shown, with the blanks around them.
const SEEN: usize = 16;

/// Draws the line.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let mut bar = Bar::new(gap(area));
    if let Some(job) = model.current() {
        title_of_job(model, job, &mut bar, area);
    } else if let Some(group) = model.group() {
        title_of_group(model, group, &mut bar);
    }
    bar.draw(area, buf);
}

/// Blanks between the items of the title line.
fn gap(area: Rect) -> usize {
    if area.width >= 70 { 3 } else { 2 }
}

fn name_style(model: &Model) -> Style {
    let style = model.theme.strong();
    if model.mode().types() {
        style.add_modifier(Modifier::UNDERLINED)
    } else {
        style
    }
}

fn title_of_job(model: &Model, job: &Job, bar: &mut Bar, area: Rect) {
    let theme = &model.theme;
    let room = usize::from(area.width).saturating_sub(2);
    let says = !job.record.asked.is_empty() || job.report().is_some();
    let most = if says { NAME.min(room) } else { room };
    let name = text::clip_middle(&job.name, most, theme.glyph("…"));
    let left = room.saturating_sub(text::width(&name) + 3);
    bar.text(0, name, name_style(model));
    if let Some(question) = question(model, left) {
        bar.text(0, question, theme.state(&State::Asked));
        return;
    }
    add_state(model, job, bar, left);
    let shown = how_shown(model);
    let seen = shown.words();
    if job.command != job.name {
        // Reserve room for how the screen is shown and for the URL.
        let url = job.url().map_or(0, |_| 16);
        let kept = SEEN.max(text::width(&seen) + 2 * gap(area));
        let beside = text::width(&job.name) + kept + url;
        let rest = room.saturating_sub(beside).max(8);
        let command = text::clip(&job.command, rest, theme.glyph("…"));
        bar.text(1, command, Style::new());
    }
    add_place(model, job, bar, area);
    // In NORMAL the status line shows it.
    if !(shown.is_remarkable() && model.is_normal()) {
        bar.right(2, vec![Span::styled(seen, theme.dim())]);
    }
}

/// Adds what the program reports, and how its last run ended if it is tried again.
fn add_state(model: &Model, job: &Job, bar: &mut Bar, room: usize) {
    let end = job.last_end().filter(|_| job.is_retrying());
    let next = end.map(|end| format!("{end}; {} {}", job.word(), job.time(model.now.ms)));
    for words in job.report().into_iter().chain(next) {
        let words = text::clip(&words, room, model.theme.glyph("…"));
        bar.text(0, words, model.theme.state(&job.state()));
    }
}

/// Adds where a job is found: its directory, its URL and its pid.
fn add_place(model: &Model, job: &Job, bar: &mut Bar, area: Rect) {
    let dir = job.present_dir(model.origin.home.as_deref());
    bar.text(2, dir, model.theme.dim());
    if let Some(url) = job.url() {
        // If there is little room, omit the scheme and the trailing slash.
        let short = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        let short = short.trim_end_matches('/').to_owned();
        let shown = if area.width >= 70 { url } else { short };
        bar.text(1, shown, Style::new());
    }
    if let Some(pid) = job.record.summary.pid {
        bar.text(3, format!("pid {pid}"), model.theme.dim());
    }
}

fn title_of_group(model: &Model, group: &Group, bar: &mut Bar) {
    let theme = &model.theme;
    bar.text(0, group.title.clone(), name_style(model));
    let n = group.jobs.len();
    let jobs = if n == 1 { "job" } else { "jobs" };
    bar.text(1, format!("{n} {jobs}"), theme.dim());
    if let Some(dir) = group.key.project_here() {
        let dir = tilde(dir, model.origin.home.as_deref());
        bar.text(2, clean(&dir), theme.dim());
    }
    let seen = match model.pane.merged.up {
        0 => "following",
        _ => "scrolled back",
    };
    bar.right(2, vec![Span::styled(seen, theme.dim())]);
}

/// What agents ask about the job: the first question, and the number of further ones.
pub fn question(model: &Model, room: usize) -> Option<String> {
    let asked = &model.current()?.record.asked;
    let more = match asked.len() {
        0 | 1 => String::new(),
        n => format!(" (+{})", n - 1),
    };
    let room = room.saturating_sub(more.len());
    let message = text::clip(&asks(asked.first()?), room, model.theme.glyph("…"));
    Some(message + &more)
}

/// `codex asks: may I restart the database?`
pub(super) fn asks(asked: &Asked) -> String {
    let by = clean(asked.by.as_str());
    format!("{by} asks: {}", clean(&asked.message))
}
