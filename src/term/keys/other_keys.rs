//! Keys with xterm's modifyOtherKeys.

use super::Key;
use super::mods::Mods;

/// The bytes of a key at a level of modifyOtherKeys; `None` if it is sent as usual.
pub(super) fn bytes(key: Key, mods: Mods, level: u8) -> Option<Vec<u8>> {
    let code = match key {
        _ if level == 0 || mods == Mods::default() => return None,
        Key::Char(_) if mods.is_text() => return None,
        Key::Char(c) if level == 1 && is_well_known(c, mods) => return None,
        Key::Char(c) if mods.shift => u32::from(c.to_ascii_uppercase()),
        // `C-A` is the usual spelling of `C-a`.
        Key::Char(c) if mods.ctrl => u32::from(c.to_ascii_lowercase()),
        Key::Char(c) => u32::from(c),
        // Shift-Tab has a sequence of its own.
        Key::Own(b'\t') if level == 1 || mods.is_shift() => return None,
        Key::Own(0x1b) if level == 1 => return None,
        Key::Own(byte) => u32::from(byte),
        Key::Backspace if level == 1 => return None,
        Key::Backspace => 127,
        _ => return None,
    };
    Some(format!("\x1b[27;{};{code}~", mods.number()).into_bytes())
}

/// Whether level 1 leaves a character as it is: Alt alone, and Ctrl with a character that has a control character.
fn is_well_known(c: char, mods: Mods) -> bool {
    !mods.ctrl || matches!(c, ' ' | '/' | '2'..='8' | '@'..='~')
}
