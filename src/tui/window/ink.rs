//! The attributes of cells as bytes for the terminal of the view.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::sync::Arc;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::canvas::{OVERLINED, underline_of};
use crate::term::cell::Color as TermColor;
use crate::term::control::sgr::Attribute;
use crate::term::extras::Link;
use crate::term::style::Underline;

/// What the terminal can show, beyond what all can. The terminal is asked when the view opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Abilities {
    /// Kinds of underlines.
    pub underline_kinds: bool,
    /// Colours of underlines.
    pub underline_colors: bool,
    /// A line above the text.
    pub overline: bool,
    /// Links (OSC 8).
    pub links: bool,
}

/// The attributes that the terminal has set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ink {
    fg: Color,
    bg: Color,
    underline_color: Color,
    underline: Option<Underline>,
    modifier: Modifier,
    link: Option<Arc<Link>>,
}

impl Default for Ink {
    /// No attributes.
    fn default() -> Self {
        Self {
            fg: Color::Reset,
            bg: Color::Reset,
            underline_color: Color::Reset,
            underline: None,
            modifier: Modifier::empty(),
            link: None,
        }
    }
}

/// The modifiers that are either set or not.
const MODIFIERS: [(Modifier, Attribute); 8] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::ITALIC, Attribute::Italic(true)),
    (Modifier::SLOW_BLINK, Attribute::Blink(true)),
    (Modifier::REVERSED, Attribute::Inverse(true)),
    (Modifier::HIDDEN, Attribute::Conceal(true)),
    (Modifier::CROSSED_OUT, Attribute::Strike(true)),
    (OVERLINED, Attribute::Overline(true)),
];

impl Ink {
    /// The attributes of a cell, as near as the terminal can show them.
    pub(super) fn of(cell: &Cell, link: Option<&Arc<Link>>, can: Abilities) -> Self {
        let underline = underline_of(cell.modifier).map(|kind| {
            if can.underline_kinds {
                kind
            } else {
                Underline::Single
            }
        });
        let is_colored = can.underline_colors && underline.is_some();
        let shown = |(modifier, _): (Modifier, Attribute)| {
            cell.modifier.contains(modifier) && (modifier != OVERLINED || can.overline)
        };
        let modifiers = MODIFIERS.into_iter().filter(|one| shown(*one));
        Self {
            fg: cell.fg,
            bg: cell.bg,
            underline_color: if is_colored {
                cell.underline_color
            } else {
                Color::Reset
            },
            underline,
            modifier: modifiers.fold(Modifier::empty(), |all, (one, _)| all | one),
            link: link.filter(|_| can.links).cloned(),
        }
    }

    /// Takes over the attributes of `next`, and appends the bytes that tell the terminal.
    pub(super) fn change(&mut self, next: Self, out: &mut Vec<u8>) {
        if *self == next {
            return;
        }
        if self.link != next.link {
            push_link(next.link.as_deref(), out);
        }
        let mut separator = "\x1b[";
        let mut push = |attribute: Attribute| {
            let _ = write!(out, "{separator}{attribute}");
            separator = ";";
        };
        let keeps = next.modifier.contains(self.modifier)
            && (self.underline.is_none() || self.underline == next.underline);
        if !keeps {
            push(Attribute::Reset);
            *self = Self::default();
        }
        for (modifier, attribute) in MODIFIERS {
            if next.modifier.contains(modifier) && !self.modifier.contains(modifier) {
                push(attribute);
            }
        }
        if next.underline != self.underline {
            push(Attribute::Underline(next.underline));
        }
        if next.fg != self.fg {
            push(Attribute::Foreground(color(next.fg).into()));
        }
        if next.bg != self.bg {
            push(Attribute::Background(color(next.bg).into()));
        }
        if next.underline_color != self.underline_color {
            push(Attribute::UnderlineColor(
                color(next.underline_color).into(),
            ));
        }
        if separator == ";" {
            out.push(b'm');
        }
        *self = next;
    }
}

/// Appends the sequence that begins a link, or ends it.
fn push_link(link: Option<&Link>, out: &mut Vec<u8>) {
    let _ = match link {
        None => write!(out, "\x1b]8;;\x1b\\"),
        // Without an id, the parts in several rows would be several links.
        Some(Link { id, uri }) if id.is_empty() => {
            let mut hasher = DefaultHasher::new();
            uri.hash(&mut hasher);
            write!(out, "\x1b]8;id=bgproc{:x};{uri}\x1b\\", hasher.finish())
        }
        Some(Link { id, uri }) => write!(out, "\x1b]8;id={id};{uri}\x1b\\"),
    };
}

fn color(color: Color) -> TermColor {
    TermColor::Idx(match color {
        Color::Reset => return TermColor::Default,
        Color::Rgb(r, g, b) => return TermColor::Rgb(r, g, b),
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    })
}
