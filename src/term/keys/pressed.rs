//! Keys that somebody has pressed at a terminal of their own.

use super::{Key, Mods};
use crate::term::keyparse::{self, KeyCode};
use crate::term::modes::Modes;

/// The bytes for a key in a terminal with these `modes`.
pub fn encode_pressed(key: keyparse::Key, modes: Modes) -> Vec<u8> {
    let mods = Mods {
        ctrl: key.ctrl,
        alt: key.alt,
        shift: key.shift && key.code != KeyCode::BackTab,
    };
    of_code(key.code).map_or_else(Vec::new, |key| key.bytes(mods, modes))
}

/// The key; `None` if it has no name here.
fn of_code(code: KeyCode) -> Option<Key> {
    Some(match code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::F(number) => super::find(&format!("F{number}"))?,
        KeyCode::Enter => Key::Own(b'\r'),
        KeyCode::Tab => Key::Own(b'\t'),
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Esc => Key::Own(0x1b),
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Number(3),
        KeyCode::Insert => Key::Number(2),
        KeyCode::Up => Key::Cursor('A'),
        KeyCode::Down => Key::Cursor('B'),
        KeyCode::Left => Key::Cursor('D'),
        KeyCode::Right => Key::Cursor('C'),
        KeyCode::Home => Key::Cursor('H'),
        KeyCode::End => Key::Cursor('F'),
        KeyCode::PageUp => Key::Number(5),
        KeyCode::PageDown => Key::Number(6),
    })
}
