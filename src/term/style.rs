//! Attributes of text that the emulator does not have: kinds and colours of underlines, blinking, concealed,
//! crossed out and overlined text.

use std::fmt::Write as _;

use vt100::Color;

use super::control::sgr::{Attribute, attributes};

/// The kind of an underline (SGR 4:1 to 4:5, as in kitty, VTE and others).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Underline {
    /// A line.
    #[default]
    Single,
    /// Two lines.
    Double,
    /// A wave.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

/// The attributes that the emulator does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// The kind of the underline, if the text is underlined.
    pub underline: Underline,
    /// The colour of the underline; by default that of the text.
    pub underline_color: Color,
    /// Blinking, slowly or rapidly.
    pub blink: bool,
    /// Not shown.
    pub conceal: bool,
    /// Crossed out.
    pub strike: bool,
    /// A line above.
    pub overline: bool,
}

impl Underline {
    /// The kind with this number in SGR 4. Unknown kinds are single, 0 is none.
    pub fn new(number: u16) -> Option<Self> {
        match number {
            0 => None,
            2 => Some(Self::Double),
            3 => Some(Self::Curly),
            4 => Some(Self::Dotted),
            5 => Some(Self::Dashed),
            _ => Some(Self::Single),
        }
    }
}

impl Style {
    /// Changes the attributes by one of an SGR sequence.
    pub fn set(&mut self, attribute: Attribute) {
        match attribute {
            Attribute::Reset => *self = Self::default(),
            Attribute::Underline(kind) => self.underline = kind.unwrap_or_default(),
            Attribute::UnderlineColor(color) => self.underline_color = color,
            Attribute::Blink(on) => self.blink = on,
            Attribute::Conceal(on) => self.conceal = on,
            Attribute::Strike(on) => self.strike = on,
            Attribute::Overline(on) => self.overline = on,
            _ => {}
        }
    }

    /// Applies an SGR sequence with these parameters.
    pub fn apply(&mut self, params: &[u8]) {
        attributes(params).for_each(|attribute| self.set(attribute));
    }

    /// The attributes that differ from those of `before`.
    pub(super) fn changes(self, before: Self) -> impl Iterator<Item = Attribute> {
        let kind = Attribute::Underline(Some(self.underline));
        let color = Attribute::UnderlineColor(self.underline_color);
        [
            (self.underline != before.underline).then_some(kind),
            (self.underline_color != before.underline_color).then_some(color),
            (self.blink != before.blink).then_some(Attribute::Blink(self.blink)),
            (self.conceal != before.conceal).then_some(Attribute::Conceal(self.conceal)),
            (self.strike != before.strike).then_some(Attribute::Strike(self.strike)),
            (self.overline != before.overline).then_some(Attribute::Overline(self.overline)),
        ]
        .into_iter()
        .flatten()
    }

    /// Appends the SGR sequence that turns `before` into these attributes, if they differ. The text must be
    /// underlined, or the kinds of underlines equal.
    pub(super) fn push_change(self, before: Self, out: &mut String) {
        let start = out.len();
        for attribute in self.changes(before) {
            let separator = if out.len() == start { "\x1b[" } else { ";" };
            let _ = write!(out, "{separator}{attribute}");
        }
        if out.len() > start {
            out.push('m');
        }
    }
}
