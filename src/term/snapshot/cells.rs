//! Converts cells to the protocol type.

use super::shown;
use crate::protocol::reply::{CellColor, ScreenCell};
use crate::term::cell::{Cell, Color};

/// The protocol description of a cell.
pub(super) fn described(cell: &Cell<'_>) -> ScreenCell {
    ScreenCell {
        ch: match cell.width {
            0 => String::new(),
            _ => shown(cell).to_owned(),
        },
        width: (cell.width != 1).then_some(cell.width),
        fg: color(cell.fg),
        bg: color(cell.bg),
        bold: cell.bold,
        dim: cell.dim,
        italic: cell.italic,
        underline: cell.underline,
        inverse: cell.inverse,
    }
}

fn color(color: Color) -> Option<CellColor> {
    match color {
        Color::Default => None,
        Color::Idx(index) => Some(CellColor::Index(index)),
        Color::Rgb(r, g, b) => Some(CellColor::Rgb(format!("#{r:02x}{g:02x}{b:02x}"))),
    }
}
