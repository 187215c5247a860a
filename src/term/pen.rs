//! Drawing attributes of text, as the emulator understands them.

use std::fmt::Write as _;

use vt100::Color;

/// Drawing attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pen {
    fg: Color,
    bg: Color,
    weight: Weight,
    italic: bool,
    underline: bool,
    inverse: bool,
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
    /// The attributes of the next character on `screen`.
    pub fn of_screen(screen: &vt100::Screen) -> Self {
        Self {
            fg: screen.fgcolor(),
            bg: screen.bgcolor(),
            weight: Weight::new(screen.bold(), screen.dim()),
            italic: screen.italic(),
            underline: screen.underline(),
            inverse: screen.inverse(),
        }
    }

    /// The attributes of a cell.
    pub fn of_cell(cell: &vt100::Cell) -> Self {
        Self {
            fg: cell.fgcolor(),
            bg: cell.bgcolor(),
            weight: Weight::new(cell.bold(), cell.dim()),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }

    /// Applies an SGR sequence with these parameters. Returns false if the compat layer rewrites a
    /// parameter before the emulator sees it; the pen is then invalid.
    pub fn apply(&mut self, params: &[u8]) -> bool {
        if params.contains(&b':') {
            return false;
        }
        let mut numbers = params.split(|&b| b == b';').map(number);
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self::default(),
                1 => self.weight = Weight::Bold,
                2 => self.weight = Weight::Dim,
                3 | 23 => self.italic = number == 3,
                4 | 24 => self.underline = number == 4,
                7 | 27 => self.inverse = number == 7,
                22 => self.weight = Weight::Normal,
                30..=37 => self.fg = Color::Idx(low(number - 30)),
                90..=97 => self.fg = Color::Idx(low(number - 82)),
                40..=47 => self.bg = Color::Idx(low(number - 40)),
                100..=107 => self.bg = Color::Idx(low(number - 92)),
                39 => self.fg = Color::Default,
                49 => self.bg = Color::Default,
                38 | 48 => {
                    let Some(color) = color(&mut numbers) else {
                        return false;
                    };
                    *(if number == 38 {
                        &mut self.fg
                    } else {
                        &mut self.bg
                    }) = color;
                }
                // The compat layer rewrites double underline and underline colour.
                21 | 58 => return false,
                _ => {}
            }
        }
        true
    }

    /// Appends the SGR sequence that sets exactly these attributes.
    pub fn push_sgr(&self, out: &mut String) {
        out.push_str("\x1b[0");
        let flags = [
            (self.weight == Weight::Bold, 1),
            (self.weight == Weight::Dim, 2),
            (self.italic, 3),
            (self.underline, 4),
            (self.inverse, 7),
        ];
        for (_, number) in flags.iter().filter(|(on, _)| *on) {
            let _ = write!(out, ";{number}");
        }
        for (color, base) in [(self.fg, 30u8), (self.bg, 40)] {
            let _ = match color {
                Color::Default => Ok(()),
                Color::Idx(i @ 0..=7) => write!(out, ";{}", base + i),
                Color::Idx(i @ 8..=15) => write!(out, ";{}", base + 52 + i),
                Color::Idx(i) => write!(out, ";{};5;{i}", base + 8),
                Color::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
            };
        }
        out.push('m');
    }
}

/// Parses a parameter. An empty one is 0; one that is too large becomes `u16::MAX`.
pub fn number(digits: &[u8]) -> u16 {
    digits.iter().fold(0u16, |n, &b| {
        n.saturating_mul(10)
            .saturating_add(u16::from(b.wrapping_sub(b'0')))
    })
}

/// Parses the colour that follows 38 or 48.
fn color(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut byte = || numbers.next().and_then(|n| u8::try_from(n).ok());
    match byte()? {
        2 => Some(Color::Rgb(byte()?, byte()?, byte()?)),
        5 => Some(Color::Idx(byte()?)),
        _ => None,
    }
}

/// Converts a number that is known to fit into a byte.
fn low(number: u16) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
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
                ],
                1..6,
            ),
        ) {
            let params = params.join(";");
            let mut screen = Screen::new(Size::new(2, 8));
            screen.feed(b"\x1b[1;3;4;7;31;44m");
            let mut pen = screen.pen();
            if pen.apply(params.as_bytes()) {
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
}
