//! Number of colours, and the nearest available colour.

use ratatui::style::Color;

/// How many colours the dashboard's own parts may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// No colours: bold, dim and reverse only.
    None,
    /// The sixteen colours of the terminal.
    Ansi,
    /// The 256 colours of xterm: the sixteen, a cube and greys.
    Indexed,
    /// 24-bit colours.
    True,
}

/// Prefixes of TERM of terminals with 24-bit colours. Needed where COLORTERM is lost, for instance
/// over ssh.
const TRUE_TERMS: [&str; 5] = [
    "xterm-kitty",
    "alacritty",
    "foot",
    "xterm-ghostty",
    "wezterm",
];

impl Depth {
    /// The depth that the environment indicates. Terminals with 24-bit colours set COLORTERM.
    pub fn detect(term: &str, colorterm: &str) -> Self {
        let rich = TRUE_TERMS.iter().any(|name| term.starts_with(name));
        if matches!(colorterm, "truecolor" | "24bit") || term.ends_with("-direct") || rich {
            Self::True
        } else if term.contains("256color") {
            Self::Indexed
        } else {
            Self::Ansi
        }
    }
}

impl Depth {
    /// A colour that a job has chosen, or the nearest one of this depth.
    pub fn of_job(self, color: Color) -> Color {
        match (self, color) {
            (Self::Indexed, Color::Rgb(r, g, b)) => nearest(r, g, b),
            (Self::Ansi, Color::Rgb(r, g, b)) => nearest_of_sixteen([r, g, b]),
            (Self::Ansi, Color::Indexed(at @ 16..)) => nearest_of_sixteen(channels(at)),
            _ => color,
        }
    }
}

/// Levels of the sixteen colours, as xterm has them. Terminals show them differently, but roughly so.
const SIXTEEN: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// The nearest of the sixteen colours.
fn nearest_of_sixteen(color: [u8; 3]) -> Color {
    let nearest = (0_u8..16).min_by_key(|&at| distance(color, SIXTEEN[usize::from(at)]));
    Color::Indexed(nearest.unwrap_or(7))
}

/// The levels of a colour of the cube or of the greys, which begin at 16.
fn channels(index: u8) -> [u8; 3] {
    match index {
        232.. => [8 + 10 * (index - 232); 3],
        _ => {
            let at = usize::from(index.saturating_sub(16));
            [LEVELS[at / 36 % 6], LEVELS[at / 6 % 6], LEVELS[at % 6]]
        }
    }
}

/// How much two colours differ.
fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    let differences = one.into_iter().zip(other);
    differences
        .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
        .sum()
}

/// Levels of the colour cube of xterm.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest colour of the cube and the greys.
pub(super) fn nearest(r: u8, g: u8, b: u8) -> Color {
    let level = |value: u8| (0..6).min_by_key(|&at| LEVELS[usize::from(at)].abs_diff(value));
    let [x, y, z] = [r, g, b].map(|value| level(value).unwrap_or(0_u8));
    let cube = [x, y, z].map(|at| LEVELS[usize::from(at)]);
    let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    // The greys are 8, 18, … 238.
    let step = (mean.saturating_sub(3) / 10).min(23);
    let step = u8::try_from(step).unwrap_or(23);
    let grey = 8 + 10 * step;
    if distance([r, g, b], [grey; 3]) < distance([r, g, b], cube) {
        Color::Indexed(232 + step)
    } else {
        Color::Indexed(16 + 36 * x + 6 * y + z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_the_depth_from_the_environment() {
        for (term, colorterm, depth) in [
            ("xterm", "truecolor", Depth::True),
            ("xterm-256color", "24bit", Depth::True),
            ("xterm-256color", "", Depth::Indexed),
            ("tmux-256color", "", Depth::Indexed),
            ("xterm-kitty", "", Depth::True),
            ("xterm-direct", "", Depth::True),
            ("xterm", "", Depth::Ansi),
            ("linux", "", Depth::Ansi),
        ] {
            assert_eq!(Depth::detect(term, colorterm), depth, "{term} {colorterm}");
        }
    }

    #[test]
    fn finds_the_nearest_colour() {
        assert_eq!(nearest(0, 0, 0), Color::Indexed(16));
        assert_eq!(nearest(255, 255, 255), Color::Indexed(231));
        assert_eq!(nearest(0x8a, 0x8f, 0x98), Color::Indexed(246));
        assert_eq!(nearest(0, 0x9e, 0x73), Color::Indexed(35));
        assert_eq!(nearest(0xd5, 0x5e, 0), Color::Indexed(166));
    }
}
