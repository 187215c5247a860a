//! What is visible: the parts of the window, and the screens and logs in them.

use std::ops::Range;

use super::grid::{Grid, Tile};
use super::job::Job;
use super::layout::{Layout, Wish};
use super::seen::MOST_UNSEEN;
use super::watch::Watch;
use super::{Attached, Link, Model};
use crate::protocol::{SessionId, Timestamp};
use crate::term::screen::Screen;
use crate::term::size::{Size, joined};
use crate::tui::crop::{self, Pan};
use crate::tui::scrollback::Display;
use crate::tui::units;
use ratatui::layout::Rect;

impl Model {
    /// The current layout.
    pub fn layout(&self) -> Layout {
        let (width, height) = self.window;
        let needs = self.needs();
        let wish = Wish {
            zoom: self.frame.zoom && !needs.list,
            open: self.frame.open && !needs.list,
            grid: self.frame.grid,
            hints: needs.hints,
            list_width: self.list.width,
            bare: needs.nothing && !self.options.status_line,
        };
        let mut layout = Layout::of(width, height, wish);
        if let Some(area) = layout.grid {
            layout.pane = self
                .tiles_in(area)
                .into_iter()
                .find(|(_, id, _)| Some(*id) == self.current_id())
                .map(|(.., tile)| tile.body);
        }
        layout
    }

    /// The window above the status line, for modes that take all of it.
    pub fn above_status(&self) -> Rect {
        let (width, height) = self.window;
        let end = self.layout().status.map_or(height, |status| status.y);
        Rect::new(0, 0, width, end)
    }

    /// Whether the grid is shown and none of its panes is zoomed.
    pub fn in_grid(&self) -> bool {
        self.frame.grid && !self.frame.zoom
    }

    /// Whether a grid would be readable in this window.
    pub fn has_room_for_grid(&self) -> bool {
        let (width, height) = self.window;
        let wish = Wish {
            grid: true,
            ..Wish::default()
        };
        let area = Layout::of(width, height, wish).grid;
        area.is_some_and(|area| Grid::capacity(area) > 0)
    }

    /// The visible tiles: the index in the grid, the job, and the area.
    pub fn tiles(&self) -> Vec<(usize, &SessionId, Tile)> {
        self.layout()
            .grid
            .map_or_else(Vec::new, |area| self.tiles_in(area))
    }

    fn tiles_in(&self, area: Rect) -> Vec<(usize, &SessionId, Tile)> {
        let Some(shape) = self.grid.shape(area) else {
            return Vec::new();
        };
        let at = self.current_id().and_then(|id| self.grid.index(id));
        let page = self.grid.page(at.unwrap_or(self.grid.at), shape);
        let jobs = page
            .clone()
            .zip(self.grid.jobs.get(page).into_iter().flatten());
        jobs.zip(shape.place(area))
            .map(|((number, id), tile)| (number, id, tile))
            .collect()
    }

    /// The live screen of a job, if it is watched and has arrived.
    pub fn screen(&self, id: &SessionId) -> Option<&Screen> {
        self.watch(id)?.screen.as_ref()
    }

    /// The live screen of a job as the pane shows it: with wrapped lines, if it is too narrow for them.
    pub fn shown_screen(&self, id: &SessionId) -> Option<&Screen> {
        self.watch(id)?.shown()
    }

    /// The watch of a job.
    pub fn watch(&self, id: &SessionId) -> Option<&Watch> {
        self.watches.iter().find(|watch| watch.id == *id)
    }

    /// Notes that these rows of the live screen of the selected job have changed.
    pub fn touch(&mut self, rows: Range<u16>) {
        self.touched = Some(joined(self.touched.take().unwrap_or_default(), rows));
    }

    /// Whether something has changed that is not drawn yet.
    pub fn needs_frame(&self) -> bool {
        self.dirty || self.touched.is_some()
    }

    /// The size that the pane would give to a job.
    pub fn pane_size(&self) -> Option<Size> {
        let pane = self.layout().pane?;
        Some(Size::new(pane.height, pane.width))
    }

    /// How the pane displays a log.
    pub fn display(&self) -> Option<Display> {
        let pane = self.pane_size()?;
        Some(Display {
            pane,
            rows: self
                .current()
                .map_or(pane.rows(), |job| job.record.summary.rows),
            wrap: self.pane.wrap,
            times: self.pane.times,
        })
    }

    /// Number of unseen lines of a job, such as `+9`; empty if there are none.
    pub fn unseen(&self, job: &Job) -> String {
        let lines = job.record.summary.output_lines;
        match self.seen.unseen(job.id(), lines) {
            0 => String::new(),
            n => format!("+{}", n.min(MOST_UNSEEN)),
        }
    }

    /// The time of a job. While the seconds of any job are counted, so are those of the others that
    /// are younger than a minute; the screen is drawn anyway.
    pub fn time_of(&self, job: &Job) -> String {
        let now = self.now.ms;
        let runs = job.is_going() && !job.state().waits() && !job.is_retrying();
        let young = runs && job.runtime_shown(now) < 60_000;
        let ticks = |one: &Job| one.next_change(now).is_some();
        if young && self.jobs.iter().any(ticks) {
            units::uptime(job.runtime_shown(now))
        } else {
            job.time(now)
        }
    }

    /// Number of failed jobs that nobody has looked at since they ended.
    pub fn unseen_failures(&self) -> usize {
        let is_shown = |job: &Job| self.seen.in_view().any(|id| id == job.id());
        let new = self.jobs.iter().filter(|job| self.is_new_failure(job));
        new.filter(|job| !is_shown(job)).count()
    }

    /// Whether a job has failed and nobody has looked at it since it ended, but for what is shown now.
    pub fn is_new_failure(&self, job: &Job) -> bool {
        let ended = job.record.summary.ended_at.map_or(0, Timestamp::millis);
        let seen = self.seen.seen().get(job.id());
        job.state().failed() && seen.is_none_or(|seen| seen.at < ended)
    }

    /// Whether the pane still waits for its first screen. Delaying the redraw then avoids flicker.
    pub fn awaits_screen(&self) -> bool {
        self.daemon.link == Link::Up
            && self
                .watches
                .iter()
                .any(|watch| watch.screen.is_none() && watch.problem.is_none())
    }

    /// After leaving the zoomed screen that it was opened for, the view is an ordinary dashboard.
    pub fn leave_attached(&mut self) {
        if !self.frame.zoom {
            self.attached = Attached::No;
        }
    }

    /// Shifts a cropped pane sideways.
    pub fn pan(&mut self, right: bool) {
        if let (Some(scroll), None) = (&mut self.pane.scroll, &self.pane.rewind) {
            scroll.pan(right);
            return;
        }
        let Some(pane) = self.layout().pane else {
            return;
        };
        let past = self
            .pane
            .rewind
            .as_ref()
            .map(|rewind| rewind.screen.as_ref());
        let live = self.current_id().and_then(|id| self.shown_screen(id));
        let cols = past
            .unwrap_or(live)
            .map_or(0, |screen| screen.size().cols());
        let hidden = cols.saturating_sub(pane.width);
        if hidden == 0 {
            self.note("The pane shows the whole width.");
            return;
        }
        let step = (pane.width / 2).max(1);
        let left = self.pane.pan.left.min(hidden);
        self.pane.pan.left = if right {
            (left + step).min(hidden)
        } else {
            left.saturating_sub(step)
        };
    }

    /// Shifts the screen of a full-screen program, or a past screen, down by `rows`, if it has more rows than the
    /// pane; `false` if not. Where the cursor is, it is followed again.
    pub fn pan_down(&mut self, rows: isize) -> bool {
        let Some(area) = self.layout().pane else {
            return false;
        };
        let live = self.current_id().and_then(|id| self.screen(id));
        let live = live.filter(|screen| self.pane.scroll.is_none() && crop::is_full_screen(screen));
        let past = self
            .pane
            .rewind
            .as_ref()
            .map(|rewind| rewind.screen.as_ref());
        let area = match past {
            Some(_) => crop::split(area).0,
            None => area,
        };
        let Some(screen) = past.unwrap_or(live) else {
            return false;
        };
        let hidden = screen.size().rows().saturating_sub(area.height);
        if hidden == 0 {
            return false;
        }
        let top = |pan| crop::crop(screen, area, pan, false).top;
        let (now, usual) = (
            top(self.pane.pan),
            top(Pan {
                top: None,
                ..self.pane.pan
            }),
        );
        let wanted = isize::try_from(now).unwrap_or(0).saturating_add(rows);
        let next = u16::try_from(wanted.max(0)).unwrap_or(u16::MAX).min(hidden);
        self.pane.pan.top = (next != usual).then_some(next);
        self.dirty = true;
        true
    }
}
