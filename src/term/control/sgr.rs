//! Drawing attributes: the parameters of SGR.

use std::fmt;

use vt100::Color;

use crate::term::scan::csi::number;
use crate::term::style::Underline;

/// A change of the drawing attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// All attributes off.
    Reset,
    /// Bold, which replaces dim.
    Bold,
    /// Dim, which replaces bold.
    Dim,
    /// Neither bold nor dim.
    NormalIntensity,
    /// Italic on or off.
    Italic(bool),
    /// Underline of a kind; `None`: off.
    Underline(Option<Underline>),
    /// The colour of the underline.
    UnderlineColor(Color),
    /// Blinking, slowly or rapidly, on or off.
    Blink(bool),
    /// Concealed on or off.
    Conceal(bool),
    /// Crossed out on or off.
    Strike(bool),
    /// Overlined on or off.
    Overline(bool),
    /// Inverse on or off.
    Inverse(bool),
    /// The colour of the text.
    Foreground(Color),
    /// The colour behind the text.
    Background(Color),
    /// An attribute that is not displayed, as fonts.
    Unknown,
}

impl Attribute {
    /// Whether nothing remains of `before` after this attribute.
    pub fn replaces(self, before: Self) -> bool {
        let is_intensity = |one| matches!(one, Self::Bold | Self::Dim | Self::NormalIntensity);
        self == Self::Reset
            || std::mem::discriminant(&self) == std::mem::discriminant(&before)
            || (is_intensity(self) && is_intensity(before))
    }
}

/// The attributes that the parameters of an SGR sequence set, in order. As in the emulator, a colour
/// that is incomplete or out of range ends them; the last one is then unknown.
pub fn attributes(params: &[u8]) -> impl Iterator<Item = Attribute> {
    let mut params = params.split(|&b| b == b';');
    std::iter::from_fn(move || {
        let param = params.next()?;
        let colon = param.iter().position(|&b| b == b':');
        let sub = colon.map(|at| &param[at + 1..]);
        Some(match (number(param), sub) {
            (4, Some(kind)) => Attribute::Underline(Underline::new(number(kind))),
            (21, Some(_)) => Attribute::Underline(Some(Underline::Double)),
            (58, Some(sub)) => color_of(sub).map_or(Attribute::Unknown, Attribute::UnderlineColor),
            (38, Some(sub)) => color_of(sub).map_or(Attribute::Unknown, Attribute::Foreground),
            (48, Some(sub)) => color_of(sub).map_or(Attribute::Unknown, Attribute::Background),
            (_, Some(_)) => Attribute::Unknown,
            (number @ (38 | 48 | 58), None) => match (number, color(&mut params)) {
                (38, Some(color)) => Attribute::Foreground(color),
                (48, Some(color)) => Attribute::Background(color),
                (58, Some(color)) => Attribute::UnderlineColor(color),
                // The emulator knows no 58, so it does not end the attributes there.
                (58, None) => Attribute::Unknown,
                _ => {
                    params.by_ref().for_each(drop);
                    Attribute::Unknown
                }
            },
            (number, None) => simple(number),
        })
    })
}

/// Whether the first attribute is a reset.
#[inline]
pub fn begins_with_reset(params: &[u8]) -> bool {
    match params {
        b"" | b"0" => true,
        [b'1'..=b'9', ..] => false,
        _ => attributes(params).next() == Some(Attribute::Reset),
    }
}

/// The attribute that a single number names.
fn simple(number: u16) -> Attribute {
    let index = |first: u16| Color::Idx(u8::try_from(number - first).unwrap_or_default());
    match number {
        0 => Attribute::Reset,
        1 => Attribute::Bold,
        2 => Attribute::Dim,
        22 => Attribute::NormalIntensity,
        3 | 23 => Attribute::Italic(number == 3),
        4 => Attribute::Underline(Some(Underline::Single)),
        21 => Attribute::Underline(Some(Underline::Double)),
        24 => Attribute::Underline(None),
        5 | 6 | 25 => Attribute::Blink(number != 25),
        8 | 28 => Attribute::Conceal(number == 8),
        9 | 29 => Attribute::Strike(number == 9),
        53 | 55 => Attribute::Overline(number == 53),
        59 => Attribute::UnderlineColor(Color::Default),
        7 | 27 => Attribute::Inverse(number == 7),
        30..=37 => Attribute::Foreground(index(30)),
        39 => Attribute::Foreground(Color::Default),
        40..=47 => Attribute::Background(index(40)),
        49 => Attribute::Background(Color::Default),
        90..=97 => Attribute::Foreground(index(82)),
        100..=107 => Attribute::Background(index(92)),
        _ => Attribute::Unknown,
    }
}

/// The colour in the parameters after 38, 48 or 58.
fn color<'a>(params: &mut impl Iterator<Item = &'a [u8]>) -> Option<Color> {
    let mut byte = || {
        params
            .next()
            .and_then(|param| number(param).try_into().ok())
    };
    match byte()? {
        2 => Some(Color::Rgb(byte()?, byte()?, byte()?)),
        5 => Some(Color::Idx(byte()?)),
        _ => None,
    }
}

/// The colour in the sub-parameters of 38, 48 or 58. The colour space between `2` and red is often
/// omitted, against the standard.
fn color_of(sub: &[u8]) -> Option<Color> {
    let mut parts = sub.split(|&b| b == b':');
    if sub.starts_with(b"2:") && parts.clone().count() > 4 {
        let [kind, _] = [parts.next()?, parts.next()?];
        return color(&mut std::iter::once(kind).chain(parts));
    }
    color(&mut parts)
}

impl fmt::Display for Attribute {
    /// Writes the parameters that set it. Those of an underline are in the form with colons, which terminals
    /// that do not have them ignore.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Reset => f.write_str("0"),
            Self::Bold => f.write_str("1"),
            Self::Dim => f.write_str("2"),
            Self::NormalIntensity => f.write_str("22"),
            Self::Italic(on) => f.write_str(if on { "3" } else { "23" }),
            Self::Underline(None) => f.write_str("24"),
            Self::Underline(Some(kind)) => f.write_str(match kind {
                Underline::Single => "4",
                Underline::Double => "4:2",
                Underline::Curly => "4:3",
                Underline::Dotted => "4:4",
                Underline::Dashed => "4:5",
            }),
            Self::UnderlineColor(Color::Default) => f.write_str("59"),
            Self::UnderlineColor(Color::Idx(i)) => write!(f, "58:5:{i}"),
            Self::UnderlineColor(Color::Rgb(r, g, b)) => write!(f, "58:2::{r}:{g}:{b}"),
            Self::Blink(on) => f.write_str(if on { "5" } else { "25" }),
            Self::Conceal(on) => f.write_str(if on { "8" } else { "28" }),
            Self::Strike(on) => f.write_str(if on { "9" } else { "29" }),
            Self::Overline(on) => f.write_str(if on { "53" } else { "55" }),
            Self::Inverse(on) => f.write_str(if on { "7" } else { "27" }),
            Self::Foreground(color) => write_color(f, color, 30),
            Self::Background(color) => write_color(f, color, 40),
            // A font: the default one, which is the only one.
            Self::Unknown => f.write_str("10"),
        }
    }
}

fn write_color(f: &mut fmt::Formatter<'_>, color: Color, base: u8) -> fmt::Result {
    match color {
        Color::Default => write!(f, "{}", base + 9),
        Color::Idx(i @ 0..=7) => write!(f, "{}", base + i),
        Color::Idx(i @ 8..=15) => write!(f, "{}", base + 52 + i),
        Color::Idx(i) => write!(f, "{};5;{i}", base + 8),
        Color::Rgb(r, g, b) => write!(f, "{};2;{r};{g};{b}", base + 8),
    }
}
