//! Converts key names into the bytes that xterm sends.
//!
//! The names are those of tmux, in any case, and those of the DOM. Modifier prefixes may be in any
//! order and in any of the usual spellings. An unknown name is an error and is never typed as text.

mod kitty;
mod mods;
mod names;
mod other_keys;
mod pressed;

use self::mods::Mods;
pub use self::names::names;
use self::names::{find, nearest};
pub use self::pressed::encode_pressed;
use super::modes::Modes;

/// An unknown key name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown key {name:?}")]
pub struct UnknownKey {
    /// The name as given.
    pub name: String,
    /// The nearest known name, with the same prefixes.
    pub suggestion: Option<String>,
}

/// The bytes for the key `name` in a terminal with these `modes`.
///
/// # Errors
/// If `name` is not a key name. A text of several characters is not one, nor is a prefix alone.
pub fn encode(name: &str, modes: Modes) -> Result<Vec<u8>, UnknownKey> {
    let (mods, rest) = Mods::split(name);
    let mut chars = rest.chars();
    let key = match (chars.next(), chars.next()) {
        (Some(c), None) => Some(Key::Char(c)),
        _ => find(rest),
    };
    match key {
        Some(key) => Ok(key.bytes(mods, modes)),
        None => Err(unknown(name, rest)),
    }
}

/// A key without modifiers, grouped by how xterm encodes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    /// A character.
    Char(char),
    /// A key with a control character that Shift does not change: Enter, Tab, Escape.
    Own(u8),
    /// Backspace.
    Backspace,
    /// Shift-Tab.
    BackTab,
    /// `CSI` or `ESC O`, depending on the cursor key mode, and this letter.
    Cursor(char),
    /// `ESC O` and this letter: F1 to F4.
    Letter(char),
    /// `CSI`, this number and `~`.
    Number(u8),
    /// F13 to F24: xterm's encoding of F1 to F12 with Shift.
    ShiftedLetter(char),
    /// F13 to F24 whose base key has a number: `CSI`, the number, Shift and `~`.
    ShiftedNumber(u8),
    /// A keypad key: its character, and its letter after `ESC O` in application mode.
    Keypad(char, char),
}

impl Key {
    /// The bytes for the program: in the protocol that it has asked for, otherwise as xterm sends them.
    fn bytes(self, mods: Mods, modes: Modes) -> Vec<u8> {
        let asked = modes.reports.keys;
        if !asked.kitty.is_empty() {
            return kitty::bytes(self, mods, asked.kitty, self.usual_bytes(mods, modes));
        }
        let other = other_keys::bytes(self, mods, asked.other_keys);
        other.unwrap_or_else(|| self.usual_bytes(mods, modes))
    }

    /// The bytes that xterm sends if the program has asked for nothing.
    fn usual_bytes(self, mods: Mods, modes: Modes) -> Vec<u8> {
        let shifted = Mods {
            shift: true,
            ..mods
        };
        match self {
            Self::Char(c) => character(c, mods),
            Self::Own(b'\t') if mods.shift => Self::BackTab.usual_bytes(
                Mods {
                    shift: false,
                    ..mods
                },
                modes,
            ),
            Self::Own(byte) => meta(mods, vec![byte]),
            Self::Backspace => meta(mods, vec![if mods.ctrl { 0x08 } else { 0x7f }]),
            Self::BackTab if mods == Mods::default() => b"\x1b[Z".to_vec(),
            Self::BackTab => lettered('Z', shifted.number()),
            Self::Cursor(letter) | Self::Letter(letter) if mods != Mods::default() => {
                lettered(letter, mods.number())
            }
            Self::Cursor(letter) if !modes.app_cursor => format!("\x1b[{letter}").into_bytes(),
            Self::Cursor(letter) | Self::Letter(letter) => format!("\x1bO{letter}").into_bytes(),
            Self::Number(number) if mods == Mods::default() => {
                format!("\x1b[{number}~").into_bytes()
            }
            Self::Number(number) => numbered(number, mods.number()),
            Self::ShiftedLetter(letter) => lettered(letter, shifted.number()),
            Self::ShiftedNumber(number) => numbered(number, shifted.number()),
            Self::Keypad(_, letter) if modes.app_keypad => {
                meta(mods, format!("\x1bO{letter}").into_bytes())
            }
            Self::Keypad(c, _) => character(c, mods),
        }
    }
}

fn lettered(letter: char, mods: u8) -> Vec<u8> {
    format!("\x1b[1;{mods}{letter}").into_bytes()
}

fn numbered(number: u8, mods: u8) -> Vec<u8> {
    format!("\x1b[{number};{mods}~").into_bytes()
}

/// Alt sends an ESC before the key.
fn meta(mods: Mods, mut bytes: Vec<u8>) -> Vec<u8> {
    if mods.alt {
        bytes.insert(0, 0x1b);
    }
    bytes
}

/// A character with modifiers. As in xterm, a combination without an encoding sends the plain
/// character.
fn character(c: char, mods: Mods) -> Vec<u8> {
    let c = match c {
        'a'..='z' if mods.shift => c.to_ascii_uppercase(),
        _ if mods.shift && c.to_uppercase().count() == 1 => c.to_uppercase().next().unwrap_or(c),
        _ => c,
    };
    let control = mods.ctrl.then(|| control(c)).flatten();
    meta(
        mods,
        control.map_or_else(|| c.to_string().into_bytes(), |byte| vec![byte]),
    )
}

/// The control character for a key. The digits stand for those that some keyboards could not type
/// otherwise.
fn control(c: char) -> Option<u8> {
    match c {
        'a'..='z' | 'A'..='Z' | '[' | '\\' | ']' | '^' | '_' | '@' => Some(c as u8 & 0x1f),
        ' ' | '2' => Some(0),
        '3' => Some(0x1b),
        '4' => Some(0x1c),
        '5' => Some(0x1d),
        '6' => Some(0x1e),
        '7' | '/' => Some(0x1f),
        '8' | '?' => Some(0x7f),
        _ => None,
    }
}

fn unknown(name: &str, rest: &str) -> UnknownKey {
    let prefix = name.strip_suffix(rest).unwrap_or_default();
    UnknownKey {
        name: name.to_owned(),
        suggestion: nearest(rest).map(|known| format!("{prefix}{known}")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
