//! Drawing attributes of text: those of the emulator, and those that it lacks.

use std::fmt::Write as _;

use vt100::Color;

use super::control::sgr::{Attribute, attributes};
use super::style::{Style, Underline};

/// Drawing attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pen {
    fg: Color,
    bg: Color,
    weight: Weight,
    italic: bool,
    underline: bool,
    inverse: bool,
    /// The kind of the underline is the default one if there is none.
    style: Style,
}

/// Bold and dim exclude each other, because the emulator stores them in one field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Weight {
    #[default]
    Normal,
    Bold,
    Dim,
}

impl Weight {
    fn new(bold: bool, dim: bool) -> Self {
        match (bold, dim) {
            (true, _) => Self::Bold,
            (_, true) => Self::Dim,
            _ => Self::Normal,
        }
    }
}

impl Pen {
    /// The attributes of the next character on `screen`; `style` are those that it lacks.
    pub fn of_screen(screen: &vt100::Screen, style: Style) -> Self {
        Self {
            fg: screen.fgcolor(),
            bg: screen.bgcolor(),
            weight: Weight::new(screen.bold(), screen.dim()),
            italic: screen.italic(),
            underline: screen.underline(),
            inverse: screen.inverse(),
            style,
        }
    }

    /// The attributes of a cell that the emulator has.
    pub fn of_cell(cell: &vt100::Cell) -> Self {
        Self {
            fg: cell.fgcolor(),
            bg: cell.bgcolor(),
            weight: Weight::new(cell.bold(), cell.dim()),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
            style: Style::default(),
        }
    }

    /// Applies an SGR sequence with these parameters.
    pub fn apply(&mut self, params: &[u8]) {
        for attribute in attributes(params) {
            self.style.set(attribute);
            match attribute {
                Attribute::Reset => *self = Self::default(),
                Attribute::Bold => self.weight = Weight::Bold,
                Attribute::Dim => self.weight = Weight::Dim,
                Attribute::NormalIntensity => self.weight = Weight::Normal,
                Attribute::Italic(on) => self.italic = on,
                Attribute::Underline(kind) => self.underline = kind.is_some(),
                Attribute::Inverse(on) => self.inverse = on,
                Attribute::Foreground(color) => self.fg = color,
                Attribute::Background(color) => self.bg = color,
                _ => {}
            }
        }
    }

    /// Appends the SGR sequence that sets exactly these attributes.
    pub fn push_sgr(&self, out: &mut String) {
        let _ = write!(out, "\x1b[{}m", self.parameters());
    }

    /// The parameters of that sequence.
    pub fn parameters(&self) -> String {
        let attributes = [
            (self.weight == Weight::Bold, Attribute::Bold),
            (self.weight == Weight::Dim, Attribute::Dim),
            (self.italic, Attribute::Italic(true)),
            (
                self.underline,
                Attribute::Underline(Some(Underline::Single)),
            ),
            (self.inverse, Attribute::Inverse(true)),
            (self.fg != Color::Default, Attribute::Foreground(self.fg)),
            (self.bg != Color::Default, Attribute::Background(self.bg)),
        ];
        let own = attributes.into_iter().filter(|(is_set, _)| *is_set);
        let own = own.map(|(_, attribute)| attribute);
        let mut out = String::from("0");
        for attribute in own.chain(self.style.changes(Style::default())) {
            let _ = write!(out, ";{attribute}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::term::screen::Screen;
    use crate::term::size::Size;

    proptest! {
        #[test]
        fn the_pen_agrees_with_the_emulator(
            params in proptest::collection::vec(
                prop_oneof![
                    4 => "[0-9]?", 4 => "(2|3|4|9|10)[0-9]", 1 => "(38|48);5;[0-9]{1,3}",
                    1 => "(38|48);2;[0-9]{1,3};[0-9]{1,2};7", 1 => "[0-9]{3,6}",
                    1 => "4:[0-5]?|(38|48|58)[:;](5|2)[:;][0-9:]{0,9}|21|58;[25](;[0-9]){1,4}",
                    1 => "[25]?[5689]|53|58:2::1:2:3",
                ],
                1..6,
            ),
        ) {
            let params = params.join(";");
            let mut screen = Screen::new(Size::new(2, 8));
            screen.feed(b"\x1b[1;3;4;7;31;44m");
            let mut pen = screen.pen();
            pen.apply(params.as_bytes());
            screen.feed(format!("\x1b[{params}m").as_bytes());
            prop_assert_eq!(pen, screen.pen());
            let mut sgr = String::new();
            pen.push_sgr(&mut sgr);
            screen.feed(b"\x1b[0;2;95;106m");
            screen.feed(sgr.as_bytes());
            prop_assert_eq!(pen, screen.pen());
        }
    }
}
