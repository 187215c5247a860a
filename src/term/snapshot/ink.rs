//! The look of a cell in a picture: its colours as numbers, after applying inverse, dim and the
//! cursor.

use crate::term::cell::{Cell, Color, color};
use crate::term::palette::{BACKGROUND, FOREGROUND, mixed, rgb};
use crate::term::style::Underline;

/// Quarters of the text colour that remain in dim text.
const DIM: u32 = 2;

/// The look of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ink {
    /// Colour of the text.
    pub(super) fg: u32,
    /// Background colour.
    pub(super) bg: u32,
    pub(super) bold: bool,
    pub(super) italic: bool,
    /// Kind and colour of the underline.
    pub(super) underline: Option<(Underline, u32)>,
    pub(super) strike: bool,
    pub(super) overline: bool,
    pub(super) blink: bool,
}

impl Ink {
    /// The look of text without attributes.
    pub(super) const PLAIN: Self = Self {
        fg: FOREGROUND,
        bg: BACKGROUND,
        bold: false,
        italic: false,
        underline: None,
        strike: false,
        overline: false,
        blink: false,
    };

    /// The look of `cell`.
    pub(super) fn of(cell: &Cell<'_>) -> Self {
        // Bold brightens the first eight colours, as in xterm: programs draw bright edges with bold
        // white.
        let own = match cell.fg {
            Color::Idx(index @ 0..=7) if cell.bold => Color::Idx(index + 8),
            own => own,
        };
        let mut fg = rgb(own).unwrap_or(FOREGROUND);
        let mut bg = rgb(cell.bg).unwrap_or(BACKGROUND);
        if cell.inverse {
            std::mem::swap(&mut fg, &mut bg);
        }
        if cell.dim {
            fg = mixed(fg, bg, DIM);
        }
        if cell.style.conceal {
            fg = bg;
        }
        let line = match color(cell.style.underline_color) {
            Color::Default => fg,
            own => rgb(own).unwrap_or(fg),
        };
        Self {
            fg,
            bg,
            bold: cell.bold,
            italic: cell.italic,
            underline: cell.underline.then_some((cell.style.underline, line)),
            strike: cell.style.strike,
            overline: cell.style.overline,
            blink: cell.style.blink,
        }
    }

    /// The look of a cell under a block cursor.
    pub(super) fn under_cursor(self) -> Self {
        Self {
            fg: BACKGROUND,
            bg: FOREGROUND,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_also_swaps_the_default_colours() {
        let cell = Cell {
            fg: Color::Idx(1),
            inverse: true,
            ..Cell::default()
        };
        let ink = Ink::of(&cell);
        assert_eq!((ink.fg, ink.bg), (BACKGROUND, 0xcd_00_00));
    }

    #[test]
    fn bold_makes_the_first_eight_colours_bright() {
        let bold = |fg| {
            Ink::of(&Cell {
                fg,
                bold: true,
                ..Cell::default()
            })
            .fg
        };
        assert_eq!(bold(Color::Idx(7)), 0xff_ff_ff);
        assert_eq!(bold(Color::Idx(9)), 0xff_00_00);
        assert_eq!(bold(Color::Default), FOREGROUND);
    }

    #[test]
    fn dim_text_is_closer_to_its_background() {
        let cell = Cell {
            fg: Color::Idx(15),
            bg: Color::Idx(4),
            dim: true,
            ..Cell::default()
        };
        assert_eq!(Ink::of(&cell).fg, 0x7f_7f_f6);
    }
}
