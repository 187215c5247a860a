//! One cell of the grid, for drawing.

use std::sync::Arc;

use super::compat::REPLACEMENT;
use super::extras::{Extras, Link, split};
use super::style::Style;

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// The terminal's default colour.
    #[default]
    Default,
    /// One of xterm's 256 colours.
    Idx(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// One cell of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell<'a> {
    /// The cell's characters; empty if nothing was written, or in the right half of a wide
    /// character.
    pub text: &'a str,
    /// Width in columns: 2 for a wide character, 0 for the right half of one.
    pub width: u8,
    /// Foreground.
    pub fg: Color,
    /// Background.
    pub bg: Color,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Foreground and background swapped.
    pub inverse: bool,
    /// The attributes that the emulator does not have.
    pub style: Style,
    /// The link that the cell belongs to.
    pub link: Option<&'a Arc<Link>>,
}

impl Cell<'_> {
    /// Whether the cell looks like one of an empty screen.
    pub fn is_blank(&self) -> bool {
        Self { width: 0, ..*self } == Self::default()
    }
}

impl<'a> Cell<'a> {
    /// Converts a cell of the emulator.
    pub(super) fn new(cell: &'a vt100::Cell, extras: &'a Extras) -> Self {
        let width = match (cell.is_wide(), cell.is_wide_continuation()) {
            (true, _) => 2,
            (_, true) => 0,
            _ => 1,
        };
        if !cell.has_contents() {
            // As in `compat::blanks`: half of a wide character that was overwritten has attributes in the emulator.
            return Self {
                width,
                bg: color(cell.bgcolor()),
                ..Self::default()
            };
        }
        let (text, marker) = split(cell.contents());
        let extra = marker.and_then(|marker| extras.get(marker));
        Self {
            text: if text.starts_with(REPLACEMENT) {
                "\u{fffd}"
            } else {
                text
            },
            width,
            fg: color(cell.fgcolor()),
            bg: color(cell.bgcolor()),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
            style: extra.map(|extra| extra.style).unwrap_or_default(),
            link: extra.and_then(|extra| extra.link.as_ref()),
        }
    }
}

/// Converts a colour of the emulator.
pub fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(i) => Color::Idx(i),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

impl From<Color> for vt100::Color {
    fn from(color: Color) -> Self {
        match color {
            Color::Default => Self::Default,
            Color::Idx(i) => Self::Idx(i),
            Color::Rgb(r, g, b) => Self::Rgb(r, g, b),
        }
    }
}
