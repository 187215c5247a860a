//! Converts cells to the protocol type.

use super::shown;
use crate::protocol::reply::{CellColor, ScreenCell, UnderlineStyle};
use crate::term::cell::{self, Cell, Color};
use crate::term::style::Underline;

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
        blink: cell.style.blink,
        conceal: cell.style.conceal,
        strikethrough: cell.style.strike,
        overline: cell.style.overline,
        underline_style: match (cell.underline, cell.style.underline) {
            (false, _) | (_, Underline::Single) => None,
            (_, Underline::Double) => Some(UnderlineStyle::Double),
            (_, Underline::Curly) => Some(UnderlineStyle::Curly),
            (_, Underline::Dotted) => Some(UnderlineStyle::Dotted),
            (_, Underline::Dashed) => Some(UnderlineStyle::Dashed),
        },
        underline_color: color(cell::color(cell.style.underline_color)),
        link: cell.link.map(|link| link.uri.clone()),
    }
}

fn color(color: Color) -> Option<CellColor> {
    match color {
        Color::Default => None,
        Color::Idx(index) => Some(CellColor::Index(index)),
        Color::Rgb(r, g, b) => Some(CellColor::Rgb(format!("#{r:02x}{g:02x}{b:02x}"))),
    }
}
