//! Keys that somebody has pressed at a terminal of their own.

use std::borrow::Cow;

use super::{Key, Mods};
use crate::term::keyparse::{self, KeyCode};
use crate::term::modes::Modes;

/// The bytes for a key in a terminal with these `modes`; none if the key has no name here.
pub fn encode_pressed(key: keyparse::Key, modes: Modes) -> Vec<u8> {
    let mods = Mods {
        ctrl: key.ctrl,
        alt: key.alt,
        shift: key.shift && key.code != KeyCode::BackTab,
    };
    // Without a name, the key has no bytes.
    let known = match key.code {
        KeyCode::Char(c) => Some(Key::Char(c)),
        code => super::find(&name(code)),
    };
    known.map_or_else(Vec::new, |key| key.bytes(mods, modes))
}

/// The name of a key in the table.
fn name(code: KeyCode) -> Cow<'static, str> {
    Cow::Borrowed(match code {
        KeyCode::Char(c) => return Cow::Owned(c.to_string()),
        KeyCode::F(number) => return Cow::Owned(format!("F{number}")),
        KeyCode::Enter => "Enter",
        KeyCode::Tab => "Tab",
        KeyCode::BackTab => "BTab",
        KeyCode::Esc => "Escape",
        KeyCode::Backspace => "BSpace",
        KeyCode::Delete => "DC",
        KeyCode::Insert => "IC",
        KeyCode::Up => "Up",
        KeyCode::Down => "Down",
        KeyCode::Left => "Left",
        KeyCode::Right => "Right",
        KeyCode::Home => "Home",
        KeyCode::End => "End",
        KeyCode::PageUp => "PageUp",
        KeyCode::PageDown => "PageDown",
    })
}
