//! Draws only the rows of the pane that have changed. A typed key changes one row, and drawing all of the window
//! for it takes most of the time until the key is seen.

use std::ops::Range;

use ratatui::layout::Rect;

use super::live::{self, CursorShape};
use super::paint;
use crate::protocol::SessionId;
use crate::term::size::joined;
use crate::tui::crop::Crop;
use crate::tui::model::{Link, Model};
use crate::tui::window::Canvas;

/// How the window showed a live screen, if it showed that screen alone: as a whole, with nothing over it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    id: SessionId,
    area: Rect,
    /// Whether the cursor is the one of the terminal, and not a cell.
    types: bool,
    /// The row of the cursor on the screen.
    cursor: u16,
}

impl Drawn {
    /// How the window shows the screen of the selected job now; `None` if not alone.
    pub fn now(model: &Model) -> Option<Self> {
        let types = model.mode().types();
        let shows_live = (types || model.is_normal())
            && !model.in_grid()
            && model.pane.scroll.is_none()
            && model.pane.rewind.is_none()
            && model.daemon.link == Link::Up
            && model.toasts.shown().is_empty();
        let area = model.layout().pane.filter(|_| shows_live)?;
        let job = model.current().filter(|job| job.is_going())?;
        let watch = model.watch(job.id())?;
        let screen = watch.screen.as_ref()?;
        let fits = screen.size().rows() <= area.height && screen.size().cols() <= area.width;
        let is_alone = fits
            && watch.wrapped.is_none()
            && job.record.asked.is_empty()
            && !live::has_separator(model, job.id(), area);
        is_alone.then(|| Self {
            id: job.id().clone(),
            area,
            types,
            cursor: screen.cursor().row,
        })
    }

    /// The part of the window to draw again after the rows `touched` of the screen have changed, if the window shows
    /// it as in `now`; `None` if all of the window has to be drawn.
    pub fn part_to_redraw(&self, now: &Self, touched: Range<u16>) -> Option<Rect> {
        let shows_the_same = (&self.id, self.area, self.types) == (&now.id, now.area, now.types);
        if !shows_the_same {
            return None;
        }
        let mut rows = touched;
        // The cursor is a cell: it is drawn where it is, and no longer where it was.
        for row in [self.cursor, now.cursor].into_iter().filter(|_| !now.types) {
            rows = joined(rows, row..row + 1);
        }
        let in_window = |row: u16| now.area.y + row.min(now.area.height);
        let (top, bottom) = (in_window(rows.start), in_window(rows.end));
        Some(Rect {
            y: top,
            height: bottom.saturating_sub(top),
            ..now.area
        })
    }
}

/// Draws this part of the window, which is blank, and which shows the live screen of the selected job.
pub fn redraw(model: &Model, part: Rect, canvas: &mut Canvas) {
    let Some(area) = model.layout().pane else {
        return;
    };
    let Some(id) = model.current_id() else {
        return;
    };
    let crop = Crop {
        top: part.y.saturating_sub(area.y),
        left: 0,
    };
    if let Some(screen) = model.screen(id) {
        paint::draw(screen, part, crop, model.theme.panes, canvas);
        let cursor = paint::cursor(screen, area, Crop::default());
        let shape = if model.mode().types() {
            CursorShape::Own
        } else {
            CursorShape::Filled
        };
        live::draw_cursor(cursor, shape, canvas);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
