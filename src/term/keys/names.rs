//! Key names: those of tmux, in any case, those of the DOM, and some of X11.

use super::Key;
use crate::protocol::suggest;

/// The names of each key, with the preferred name first, and the key.
pub(super) const TABLE: &[(&[&str], Key)] = &[
    (&["Enter", "Return", "CR"], Key::Own(b'\r')),
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
    (&["PPage", "PageUp", "PgUp", "Page_Up"], Key::Number(5)),
    (&["NPage", "PageDown", "PgDn", "Page_Down"], Key::Number(6)),
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
    (&["Linefeed", "LF"], Key::Own(b'\n')),
];

/// The preferred name of each key, in the order of the documentation. Single characters are also
/// key names.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(names, _)| names[0])
}

/// The key with this name.
pub(super) fn find(name: &str) -> Option<Key> {
    let known =
        |(names, _): &&(&[&str], Key)| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    TABLE.iter().find(known).map(|(_, key)| *key)
}

/// Fewest characters of a name for which another one is suggested. Shorter names differ in one character or two.
const LEAST: usize = 3;

/// The key name nearest to `name`, if one is near enough.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let known = TABLE.iter().flat_map(|(names, _)| names.iter().copied());
    suggest::nearest(name, known).filter(|_| name.chars().count() >= LEAST)
}
