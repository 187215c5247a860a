//! Names of keys to the bytes that xterm sends for them.
//!
//! Names are tmux's, in any case, and the DOM's; prefixes may stand in any order and in any of the usual
//! spellings. A name that is no key is an error, never typed as text.

use super::modes::Modes;

/// A name that is no key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown key {name:?}")]
pub struct UnknownKey {
    /// The name as it was given.
    pub name: String,
    /// The nearest name that is a key, prefixes included.
    pub suggestion: Option<String>,
}

/// The bytes of the key called `name` in a terminal with these `modes`.
///
/// # Errors
/// When `name` is no key: a text of several characters is none, nor is a prefix alone.
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

/// Every key name that stands on its own, in the order the documentation lists them. Single characters are names
/// too.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(names, _)| names[0])
}

/// A key without its modifiers, by what xterm makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    /// A character.
    Char(char),
    /// A character of its own whatever the shift: Enter, Tab, Escape.
    Own(u8),
    /// Backspace.
    Backspace,
    /// Shift-Tab.
    BackTab,
    /// `CSI` or `ESC O`, by the cursor key mode, and this letter.
    Cursor(char),
    /// `ESC O` and this letter: F1 to F4.
    Letter(char),
    /// `CSI`, this number and `~`.
    Number(u8),
    /// F13 to F24: what xterm sends for F1 to F12 with Shift.
    ShiftedLetter(char),
    /// As before, for the keys with a number.
    ShiftedNumber(u8),
    /// A key of the keypad: its character, and its letter after `ESC O` in application mode.
    Keypad(char, char),
}

/// Names of each key, the first of them the one we use, and what it is.
const TABLE: &[(&[&str], Key)] = &[
    (&["Enter", "Return"], Key::Own(b'\r')),
    (&["Tab"], Key::Own(b'\t')),
    (&["BTab", "BackTab"], Key::BackTab),
    (&["Escape", "Esc"], Key::Own(0x1b)),
    (&["Space", "Spacebar"], Key::Char(' ')),
    (&["BSpace", "Backspace"], Key::Backspace),
    (&["DC", "Delete", "Del"], Key::Number(3)),
    (&["IC", "Insert", "Ins"], Key::Number(2)),
    (&["Up", "ArrowUp"], Key::Cursor('A')),
    (&["Down", "ArrowDown"], Key::Cursor('B')),
    (&["Left", "ArrowLeft"], Key::Cursor('D')),
    (&["Right", "ArrowRight"], Key::Cursor('C')),
    (&["Home"], Key::Cursor('H')),
    (&["End"], Key::Cursor('F')),
    (&["PPage", "PageUp", "PgUp"], Key::Number(5)),
    (&["NPage", "PageDown", "PgDn"], Key::Number(6)),
    (&["F1"], Key::Letter('P')),
    (&["F2"], Key::Letter('Q')),
    (&["F3"], Key::Letter('R')),
    (&["F4"], Key::Letter('S')),
    (&["F5"], Key::Number(15)),
    (&["F6"], Key::Number(17)),
    (&["F7"], Key::Number(18)),
    (&["F8"], Key::Number(19)),
    (&["F9"], Key::Number(20)),
    (&["F10"], Key::Number(21)),
    (&["F11"], Key::Number(23)),
    (&["F12"], Key::Number(24)),
    (&["F13"], Key::ShiftedLetter('P')),
    (&["F14"], Key::ShiftedLetter('Q')),
    (&["F15"], Key::ShiftedLetter('R')),
    (&["F16"], Key::ShiftedLetter('S')),
    (&["F17"], Key::ShiftedNumber(15)),
    (&["F18"], Key::ShiftedNumber(17)),
    (&["F19"], Key::ShiftedNumber(18)),
    (&["F20"], Key::ShiftedNumber(19)),
    (&["F21"], Key::ShiftedNumber(20)),
    (&["F22"], Key::ShiftedNumber(21)),
    (&["F23"], Key::ShiftedNumber(23)),
    (&["F24"], Key::ShiftedNumber(24)),
    (&["KP0", "Numpad0"], Key::Keypad('0', 'p')),
    (&["KP1", "Numpad1"], Key::Keypad('1', 'q')),
    (&["KP2", "Numpad2"], Key::Keypad('2', 'r')),
    (&["KP3", "Numpad3"], Key::Keypad('3', 's')),
    (&["KP4", "Numpad4"], Key::Keypad('4', 't')),
    (&["KP5", "Numpad5"], Key::Keypad('5', 'u')),
    (&["KP6", "Numpad6"], Key::Keypad('6', 'v')),
    (&["KP7", "Numpad7"], Key::Keypad('7', 'w')),
    (&["KP8", "Numpad8"], Key::Keypad('8', 'x')),
    (&["KP9", "Numpad9"], Key::Keypad('9', 'y')),
    (&["KP/", "NumpadDivide"], Key::Keypad('/', 'o')),
    (&["KP*", "NumpadMultiply"], Key::Keypad('*', 'j')),
    (&["KP-", "NumpadSubtract"], Key::Keypad('-', 'm')),
    (&["KP+", "NumpadAdd"], Key::Keypad('+', 'k')),
    (&["KP.", "NumpadDecimal"], Key::Keypad('.', 'n')),
    (&["KPEnter", "NumpadEnter"], Key::Keypad('\r', 'M')),
];

/// Modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Mods {
    ctrl: bool,
    alt: bool,
    shift: bool,
}

/// Spellings of the prefixes, in small letters.
const PREFIXES: &[(&str, Mods)] = &[
    (
        "c-",
        Mods {
            ctrl: true,
            alt: false,
            shift: false,
        },
    ),
    (
        "m-",
        Mods {
            ctrl: false,
            alt: true,
            shift: false,
        },
    ),
    (
        "s-",
        Mods {
            ctrl: false,
            alt: false,
            shift: true,
        },
    ),
    (
        "^",
        Mods {
            ctrl: true,
            alt: false,
            shift: false,
        },
    ),
    (
        "ctrl+",
        Mods {
            ctrl: true,
            alt: false,
            shift: false,
        },
    ),
    (
        "ctrl-",
        Mods {
            ctrl: true,
            alt: false,
            shift: false,
        },
    ),
    (
        "control+",
        Mods {
            ctrl: true,
            alt: false,
            shift: false,
        },
    ),
    (
        "alt+",
        Mods {
            ctrl: false,
            alt: true,
            shift: false,
        },
    ),
    (
        "alt-",
        Mods {
            ctrl: false,
            alt: true,
            shift: false,
        },
    ),
    (
        "meta+",
        Mods {
            ctrl: false,
            alt: true,
            shift: false,
        },
    ),
    (
        "meta-",
        Mods {
            ctrl: false,
            alt: true,
            shift: false,
        },
    ),
    (
        "shift+",
        Mods {
            ctrl: false,
            alt: false,
            shift: true,
        },
    ),
    (
        "shift-",
        Mods {
            ctrl: false,
            alt: false,
            shift: true,
        },
    ),
];

impl Mods {
    /// Takes the prefixes off a name. What is left is never empty: `^` and `-` are keys too.
    fn split(name: &str) -> (Self, &str) {
        let (mut mods, mut rest) = (Self::default(), name);
        while let Some((len, more)) = PREFIXES.iter().find_map(|(prefix, more)| {
            let head = rest.get(..prefix.len())?;
            (head.eq_ignore_ascii_case(prefix) && rest.len() > prefix.len())
                .then_some((prefix.len(), more))
        }) {
            rest = &rest[len..];
            mods.ctrl |= more.ctrl;
            mods.alt |= more.alt;
            mods.shift |= more.shift;
        }
        (mods, rest)
    }

    /// xterm's number for these modifiers: 1 is none.
    fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.ctrl)
    }
}

impl Key {
    /// What xterm sends.
    fn bytes(self, mods: Mods, modes: Modes) -> Vec<u8> {
        let shifted = Mods {
            shift: true,
            ..mods
        };
        match self {
            Self::Char(c) => character(c, mods),
            Self::Own(b'\t') if mods.shift => Self::BackTab.bytes(
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

/// Alt is an ESC before the key.
fn meta(mods: Mods, mut bytes: Vec<u8>) -> Vec<u8> {
    if mods.alt {
        bytes.insert(0, 0x1b);
    }
    bytes
}

/// A character with its modifiers. Where a terminal knows no such combination it sends the character, as xterm.
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

/// The control character of a key, digits as on the keyboards that had no other way.
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

fn find(name: &str) -> Option<Key> {
    let known =
        |(names, _): &&(&[&str], Key)| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    TABLE.iter().find(known).map(|(_, key)| *key)
}

/// How near a name must be to be suggested: 1 is the same.
const NEAR: f64 = 0.75;

fn unknown(name: &str, rest: &str) -> UnknownKey {
    let wanted = rest.to_lowercase();
    let nearest = TABLE
        .iter()
        .flat_map(|(names, _)| names.iter())
        .map(|known| (strsim::jaro_winkler(&known.to_lowercase(), &wanted), known))
        .filter(|(near, _)| *near >= NEAR && !wanted.is_empty())
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let prefix = name.strip_suffix(rest).unwrap_or_default();
    UnknownKey {
        name: name.to_string(),
        suggestion: nearest.map(|(_, known)| format!("{prefix}{known}")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn sent(name: &str) -> String {
        String::from_utf8(encode(name, Modes::default()).unwrap()).unwrap()
    }

    #[test]
    fn keys_are_sent_as_xterm_sends_them() {
        for (name, bytes) in [
            ("Enter", "\r"),
            ("enter", "\r"),
            ("TAB", "\t"),
            ("BTab", "\x1b[Z"),
            ("S-Tab", "\x1b[Z"),
            ("Escape", "\x1b"),
            ("Space", " "),
            ("BSpace", "\x7f"),
            ("Backspace", "\x7f"),
            ("C-BSpace", "\x08"),
            ("M-BSpace", "\x1b\x7f"),
            ("DC", "\x1b[3~"),
            ("Insert", "\x1b[2~"),
            ("Up", "\x1b[A"),
            ("ArrowLeft", "\x1b[D"),
            ("Home", "\x1b[H"),
            ("PPage", "\x1b[5~"),
            ("PageDown", "\x1b[6~"),
            ("F1", "\x1bOP"),
            ("F5", "\x1b[15~"),
            ("F12", "\x1b[24~"),
            ("F13", "\x1b[1;2P"),
            ("F24", "\x1b[24;2~"),
            ("C-F13", "\x1b[1;6P"),
            ("KP5", "5"),
            ("KPEnter", "\r"),
            ("C-Left", "\x1b[1;5D"),
            ("M-S-Up", "\x1b[1;4A"),
            ("S-M-Up", "\x1b[1;4A"),
            ("C-DC", "\x1b[3;5~"),
            ("S-F5", "\x1b[15;2~"),
            ("Ctrl+Shift+ArrowRight", "\x1b[1;6C"),
            ("M-F1", "\x1b[1;3P"),
            ("C-S-Tab", "\x1b[1;6Z"),
        ] {
            assert_eq!(sent(name), bytes, "{name}");
        }
    }

    #[test]
    fn characters_keep_their_case_and_take_modifiers() {
        for (name, bytes) in [
            ("a", "a"),
            ("A", "A"),
            ("é", "é"),
            ("漢", "漢"),
            ("-", "-"),
            ("^", "^"),
            ("+", "+"),
            ("C-c", "\x03"),
            ("c-C", "\x03"),
            ("^C", "\x03"),
            ("^x", "\x18"),
            ("Ctrl+c", "\x03"),
            ("ctrl-c", "\x03"),
            ("C-[", "\x1b"),
            ("C-]", "\x1d"),
            ("C-\\", "\x1c"),
            ("C-Space", "\0"),
            ("C-@", "\0"),
            ("C-?", "\x7f"),
            ("C-/", "\x1f"),
            ("^^", "\x1e"),
            ("M-x", "\x1bx"),
            ("Alt+x", "\x1bx"),
            ("M-X", "\x1bX"),
            ("Meta+Enter", "\x1b\r"),
            ("C-M-a", "\x1b\x01"),
            ("S-a", "A"),
            ("Shift+é", "É"),
            ("C--", "-"),
            ("Ctrl++", "+"),
            ("C-,", ","),
            ("M--", "\x1b-"),
        ] {
            assert_eq!(sent(name), bytes, "{name}");
        }
    }

    #[test]
    fn modes_decide_cursor_keys_and_keypad() {
        let modes = Modes {
            app_cursor: true,
            app_keypad: true,
            ..Modes::default()
        };
        let sent = |name| String::from_utf8(encode(name, modes).unwrap()).unwrap();
        assert_eq!(
            [sent("Up"), sent("End"), sent("C-Up")],
            ["\x1bOA", "\x1bOF", "\x1b[1;5A"]
        );
        assert_eq!(
            [sent("KP7"), sent("KPEnter"), sent("KP+")],
            ["\x1bOw", "\x1bOM", "\x1bOk"]
        );
        assert_eq!(sent("5"), "5");
    }

    #[test]
    fn what_is_no_key_is_an_error_with_the_nearest_one() {
        for (name, suggestion) in [
            ("Entr", Some("Enter")),
            ("C-Lft", Some("C-Left")),
            ("PageDwn", Some("PageDown")),
            ("F25", Some("F2")),
            ("ls -la\n", None),
            ("", None),
            ("C-", None),
            ("yes", None),
            ("Ctrl+Backspce", Some("Ctrl+Backspace")),
        ] {
            let error = encode(name, Modes::default()).unwrap_err();
            assert_eq!(
                (error.name.as_str(), error.suggestion.as_deref()),
                (name, suggestion)
            );
        }
    }

    #[test]
    fn every_name_is_a_key_in_any_case() {
        assert_eq!(names().count(), TABLE.len());
        for name in TABLE.iter().flat_map(|(names, _)| names.iter()) {
            for name in [name.to_string(), name.to_lowercase(), name.to_uppercase()] {
                assert!(encode(&name, Modes::default()).is_ok(), "{name}");
            }
        }
    }
}
