//! The pane: the job's screen, live, scrolled back or as it was, and the title line above it.

pub mod card;
pub mod follow;
pub mod group;
pub mod jump;
pub mod links;
pub mod live;
pub mod load;
mod log;
pub mod paint;
mod past;
pub mod redraw;
pub mod runs;
pub mod time_bar;
pub mod watch;
pub mod wrap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use crate::protocol::Status;
use crate::protocol::record::Asked;
use crate::term::sanitize::clean;
use crate::term::screen::Screen;
use crate::term::size::Size;
use crate::tui::bar::Bar;
use crate::tui::crop;
use crate::tui::model::Model;
use crate::tui::model::job::{Job, tilde};
use crate::tui::model::rows::Group;
use crate::tui::scrollback::{Part, Scroll};
use crate::tui::state::State;
use crate::tui::text;
use crate::tui::window::Canvas;

/// Maximum columns of a name followed by a question, as in the status line.
const NAME: usize = 24;

/// Least room for the words that say how the screen is shown, with the blanks around them.
const SEEN: usize = 16;

/// Draws the title line: the job, and how its screen is shown.
pub fn title(model: &Model, area: Rect, buf: &mut Buffer) {
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
fn asks(asked: &Asked) -> String {
    let by = clean(asked.by.as_str());
    format!("{by} asks: {}", clean(&asked.message))
}

/// Draws the whole questions of agents over the part of the pane that is empty, else over its first
/// rows.
fn draw_questions(model: &Model, job: &Job, area: Rect, buf: &mut Buffer) {
    let asked = job.record.asked.iter();
    let room = usize::from(area.width).saturating_sub(2);
    let lines: Vec<String> = asked.flat_map(|one| text::wrap(&asks(one), room)).collect();
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let height = height.min(area.height);
    let used = model.shown_screen(job.id()).map_or(0, |screen| {
        crop::last_written_row(screen).max(screen.cursor().row) + 1
    });
    let fits = used.saturating_add(height) <= area.height;
    let y = if fits { area.bottom() - height } else { area.y };
    let style = model.theme.state(&State::Asked);
    for (y, line) in (y..area.bottom()).zip(&lines) {
        let blank = " ".repeat(usize::from(area.width));
        buf.set_string(area.x, y, blank, Style::reset());
        buf.set_stringn(area.x + 1, y, line, room, style);
    }
}

/// How the pane shows a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// There is no job.
    Nothing,
    /// As it was at an earlier time.
    AsItWas,
    /// Its log, not at the end.
    ScrolledBack,
    /// It is paused.
    Paused,
    /// The pane is too small for its screen, which has this size.
    Cropped(Size),
    /// It waits for its first or next run.
    Waits,
    /// Live.
    Following,
    /// It has ended.
    Ended,
}

impl Shown {
    /// In words: `following`, `scrolled back`, `paused` or `cropped 120x40`.
    pub fn words(self) -> String {
        let words = match self {
            Self::Nothing => "",
            Self::AsItWas => "as it was",
            Self::ScrolledBack => "scrolled back",
            Self::Paused => "paused",
            Self::Cropped(size) => return format!("cropped {}x{}", size.cols(), size.rows()),
            Self::Waits => "waits",
            Self::Following => "following",
            Self::Ended => "ended",
        };
        words.to_owned()
    }

    /// Whether it is important enough to replace the position in the list.
    pub fn is_remarkable(self) -> bool {
        matches!(self, Self::Paused | Self::Cropped(_))
    }
}

/// How the pane shows its job now.
pub fn how_shown(model: &Model) -> Shown {
    // In NORMAL, the mouse selects on the present screen.
    let is_past = |scroll: &Scroll| scroll.is_still && model.mode().scrolls();
    if model.pane.rewind.is_some() || model.pane.scroll.as_deref().is_some_and(is_past) {
        return Shown::AsItWas;
    }
    let log = model.pane.scroll.as_ref().filter(|scroll| !scroll.is_still);
    if log.is_some_and(|scroll| !scroll.follows) {
        return Shown::ScrolledBack;
    }
    let Some(job) = model.current() else {
        return Shown::Nothing;
    };
    if job.record.summary.status == Status::Paused {
        return Shown::Paused;
    }
    let pane = model.layout().pane;
    match (live(model), pane) {
        (Some(screen), Some(area)) if log.is_none() && is_cropped(model, job, screen, area) => {
            Shown::Cropped(screen.size())
        }
        _ if job.state().waits() => Shown::Waits,
        _ if job.is_going() => Shown::Following,
        _ => Shown::Ended,
    }
}

/// Whether the pane is too small for the job's screen. Rows above wrapped lines have only scrolled away.
fn is_cropped(model: &Model, job: &Job, screen: &Screen, area: Rect) -> bool {
    let watch = model.watch(job.id());
    if watch.is_some_and(|watch| watch.wrapped.is_some()) {
        return false;
    }
    let typing = model.mode().types();
    crop::is_cropped(
        screen,
        area,
        crop::crop(screen, area, model.pane.pan, typing),
    )
}

/// Draws the job's screen.
pub fn draw(model: &Model, area: Rect, canvas: &mut Canvas) {
    // Show what was there until the first frame has arrived.
    if let Some(rewind) = &model.pane.rewind
        && rewind.screen.is_some()
    {
        past::draw(model, rewind, area, canvas);
        return;
    }
    // Show the live screen until the log has arrived.
    if let Some(scroll) = &model.pane.scroll
        && (scroll.loading != Some(Part::First) || !scroll.text.rows.is_empty())
    {
        // Beside a frozen screen, nothing else moves.
        let area = if scroll.is_still {
            card::draw::draw(model, area, canvas.buffer_mut())
        } else {
            area
        };
        log::draw(model, scroll, area, canvas);
        return;
    }
    if let Some(group) = model.group() {
        group::draw(model, group, canvas.buffer_mut());
        return;
    }
    if let Some(id) = model.current_id() {
        let area = card::draw::draw(model, area, canvas.buffer_mut());
        live::draw(model, id, area, canvas);
        if let Some(job) = model.job(id).filter(|job| !job.record.asked.is_empty()) {
            draw_questions(model, job, area, canvas.buffer_mut());
        }
    }
}

fn live(model: &Model) -> Option<&Screen> {
    model.shown_screen(model.current_id()?)
}
