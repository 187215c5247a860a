//! The grid: many panes at once.

use crate::tui::model::Model;

/// Shows the grid, or list and pane again.
pub(super) fn toggle(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Shows more tiles, or fewer.
pub(super) fn tiles(model: &mut Model, _more: bool) {
    model.note("This is not built yet.");
}

/// Goes to the next tile that way.
pub(super) fn step(model: &mut Model, _dx: i16, _dy: i16) {
    model.note("This is not built yet.");
}
