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
pub mod title;
pub mod watch;
pub mod wrap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use self::title::asks;
use crate::protocol::Status;
use crate::term::screen::Screen;
use crate::term::size::Size;
use crate::tui::crop;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::scrollback::{Part, Scroll};
use crate::tui::state::State;
use crate::tui::text;
use crate::tui::window::Canvas;

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
    let is_past = |scroll: &Scroll| scroll.is_still && model.scrolls();
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

fn live(model: &Model) -> Option<&Screen> {
    model.shown_screen(model.current_id()?)
}
