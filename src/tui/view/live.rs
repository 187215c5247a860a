//! The live screen of a job: in the pane, or in a tile of the grid.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;
use crate::tui::{pane, text};

/// Draws the screen of a job, or why there is none.
pub(super) fn draw(model: &Model, id: &SessionId, area: Rect, frame: &mut Frame<'_>) {
    let Some(watch) = model.watch(id) else {
        return;
    };
    if let Some(screen) = &watch.screen {
        draw_screen(model, id, screen, area, frame);
    } else if let Some(problem) = &watch.problem {
        for (y, line) in (area.y..area.bottom()).zip(text::wrap(problem, usize::from(area.width))) {
            frame
                .buffer_mut()
                .set_string(area.x, y, line, model.theme.dim());
        }
    }
}

fn draw_screen(model: &Model, id: &SessionId, screen: &Screen, area: Rect, frame: &mut Frame<'_>) {
    let is_current = model.current_id() == Some(id);
    let typing = is_current && matches!(model.mode, Mode::Insert(_));
    let pan = if is_current { model.pan } else { 0 };
    let crop = pane::crop(screen, area, pan, typing);
    pane::draw(screen, area, crop, model.theme.mono, frame.buffer_mut());
    let Some(at) = pane::cursor(screen, area, crop) else {
        return;
    };
    let alive = model.job(id).is_some_and(|job| job.is_alive());
    if typing && alive {
        frame.set_cursor_position(at);
    } else if alive && let Some(cell) = frame.buffer_mut().cell_mut(at) {
        // Where the job's cursor is, without taking the terminal's own, which shows where keys go.
        cell.modifier.toggle(Modifier::REVERSED);
    }
}
