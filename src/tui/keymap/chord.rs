//! Names of keys as people read and configure them: `j`, `ctrl-]`, `enter`, `f12`.

use crate::term::keyparse::{Key, KeyCode};

/// The name of `key`. For letters, Shift is part of the letter (`G`); for other keys it is written
/// out (`shift-up`).
pub fn name(key: Key) -> String {
    let base = match key.code {
        KeyCode::Char(' ') => "space".to_owned(),
        KeyCode::Char(c) if key.ctrl => c.to_lowercase().collect(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::F(n) => format!("f{n}"),
        KeyCode::Enter => "enter".to_owned(),
        KeyCode::Tab => "tab".to_owned(),
        KeyCode::BackTab => "backtab".to_owned(),
        KeyCode::Esc => "esc".to_owned(),
        KeyCode::Backspace => "backspace".to_owned(),
        KeyCode::Delete => "delete".to_owned(),
        KeyCode::Insert => "insert".to_owned(),
        KeyCode::Up => "up".to_owned(),
        KeyCode::Down => "down".to_owned(),
        KeyCode::Left => "left".to_owned(),
        KeyCode::Right => "right".to_owned(),
        KeyCode::Home => "home".to_owned(),
        KeyCode::End => "end".to_owned(),
        KeyCode::PageUp => "pgup".to_owned(),
        KeyCode::PageDown => "pgdn".to_owned(),
    };
    // Shift with a character alone is in the character.
    let shift = match key.code {
        KeyCode::Char(_) => key.shift && (key.ctrl || key.alt),
        code => key.shift && code != KeyCode::BackTab,
    };
    spell(key.ctrl, key.alt, shift, &base)
}

/// The key with this name, as spelled by [`name`].
pub fn key(name: &str) -> Option<Key> {
    let mut base = name;
    // In the order in which `spell` writes them.
    let [ctrl, alt, shift] = ["ctrl-", "alt-", "shift-"].map(|prefix| {
        let rest = base.strip_prefix(prefix);
        base = rest.unwrap_or(base);
        rest.is_some()
    });
    let mut letters = base.chars();
    let code = match (letters.next(), letters.next()) {
        (Some(c), None) => KeyCode::Char(c),
        _ => match base {
            "space" => KeyCode::Char(' '),
            "enter" => KeyCode::Enter,
            "tab" => KeyCode::Tab,
            "backtab" => KeyCode::BackTab,
            "esc" => KeyCode::Esc,
            "backspace" => KeyCode::Backspace,
            "delete" => KeyCode::Delete,
            "insert" => KeyCode::Insert,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "pgup" => KeyCode::PageUp,
            "pgdn" => KeyCode::PageDown,
            _ => KeyCode::F(base.strip_prefix('f')?.parse().ok()?),
        },
    };
    Some(Key {
        code,
        ctrl,
        alt,
        shift,
    })
}

/// Accepted names of keys that are not characters, with the name that [`name`] uses.
const NAMED: [(&str, &str); 26] = [
    ("space", "space"),
    ("enter", "enter"),
    ("return", "enter"),
    ("tab", "tab"),
    ("backtab", "backtab"),
    ("esc", "esc"),
    ("escape", "esc"),
    ("backspace", "backspace"),
    ("delete", "delete"),
    ("del", "delete"),
    ("insert", "insert"),
    ("ins", "insert"),
    ("up", "up"),
    ("down", "down"),
    ("left", "left"),
    ("right", "right"),
    ("home", "home"),
    ("end", "end"),
    ("pgup", "pgup"),
    ("pageup", "pgup"),
    ("page-up", "pgup"),
    ("pgdn", "pgdn"),
    ("pagedown", "pgdn"),
    ("page-down", "pgdn"),
    ("minus", "-"),
    ("plus", "+"),
];

/// The configurable keys, for error messages.
pub const KNOWN: &str = "a character, space, enter, tab, esc, backspace, delete, insert, up, down, left, right, \
    home, end, pgup, pgdn, f1 to f24, and ctrl-, alt- or shift- in front of one";

/// Parses a key name as configured (`C-]`, `^]`, `Ctrl+]`, `F12`) and returns it as spelled by
/// [`name`]; `None` if no terminal sends such a key. Keys for which terminals send the same byte
/// are the same key: `ctrl-m` is `enter`.
pub fn parse(text: &str) -> Option<String> {
    if text == " " {
        return Some("space".to_owned());
    }
    let (mut ctrl, mut alt, mut shift) = (false, false, false);
    let mut rest = text.trim();
    while let Some((modifier, after)) = modifier(rest) {
        *match modifier {
            'c' => &mut ctrl,
            'a' => &mut alt,
            _ => &mut shift,
        } = true;
        rest = after;
    }
    let lower = rest.to_lowercase();
    let named = NAMED.iter().find(|(called, _)| *called == lower);
    let function =
        |text: &str| matches!(text.parse(), Ok(1..=24_u8)) && !text.starts_with(['0', '+']);
    let mut letters = rest.chars();
    let base = match (letters.next(), letters.next()) {
        (Some(c), None) if ctrl => return control(c, alt, shift),
        (Some(c), None) if c.is_control() || c == ' ' => return None,
        (Some(c), None) if shift => {
            shift = false;
            c.to_uppercase().collect()
        }
        (Some(c), None) => c.to_string(),
        _ => match named {
            Some((_, "space")) if ctrl => return control(' ', alt, shift),
            Some((_, "tab")) if shift => {
                shift = false;
                "backtab".to_owned()
            }
            Some((_, name)) => (*name).to_owned(),
            None if lower.strip_prefix('f').is_some_and(function) => lower,
            None => return None,
        },
    };
    Some(spell(ctrl, alt, shift, &base))
}

/// Whether a key may leave INSERT. Keys that are needed for ordinary typing may not.
pub fn can_leave(name: &str) -> bool {
    let typed = ["space", "enter", "tab", "esc", "backspace"];
    name.chars().count() > 1 && !typed.contains(&name)
}

/// The leading modifier as its letter, and the rest.
fn modifier(text: &str) -> Option<(char, &str)> {
    let prefixes = [
        ("ctrl-", 'c'),
        ("ctrl+", 'c'),
        ("c-", 'c'),
        ("^", 'c'),
        ("alt-", 'a'),
        ("alt+", 'a'),
        ("m-", 'a'),
        ("shift-", 's'),
        ("shift+", 's'),
        ("s-", 's'),
    ];
    prefixes.into_iter().find_map(|(prefix, modifier)| {
        let (head, after) = text.split_at_checked(prefix.len())?;
        (head.eq_ignore_ascii_case(prefix) && !after.is_empty()).then_some((modifier, after))
    })
}

/// The name of Ctrl with a character, according to the byte that a terminal sends for it.
fn control(c: char, alt: bool, shift: bool) -> Option<String> {
    let c = c.to_ascii_lowercase();
    let byte = match c {
        _ if shift => return None,
        ' ' | '@' => return Some(spell(true, alt, false, "space")),
        'i' => "tab",
        'm' => "enter",
        '[' => "esc",
        '?' => "backspace",
        'a'..='z' | '\\' | ']' | '^' | '_' => return Some(spell(true, alt, false, &c.to_string())),
        '/' => return Some(spell(true, alt, false, "_")),
        _ => return None,
    };
    Some(spell(false, alt, false, byte))
}

fn spell(ctrl: bool, alt: bool, shift: bool, base: &str) -> String {
    let mut name = String::new();
    for (held, prefix) in [(ctrl, "ctrl-"), (alt, "alt-"), (shift, "shift-")] {
        if held {
            name.push_str(prefix);
        }
    }
    name + base
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, ctrl: bool) -> Key {
        Key {
            code,
            ctrl,
            alt: false,
            shift: false,
        }
    }

    #[test]
    fn names_keys_as_people_do() {
        assert_eq!(name(key(KeyCode::Char(']'), true)), "ctrl-]");
        assert_eq!(name(key(KeyCode::Char('G'), false)), "G");
        assert_eq!(name(key(KeyCode::Char('L'), true)), "ctrl-l");
        assert_eq!(name(key(KeyCode::F(12), false)), "f12");
    }

    #[test]
    fn a_name_stands_for_its_key() {
        for text in [
            "G",
            "-",
            "alt--",
            "alt-b",
            "insert",
            "backtab",
            "f12",
            "shift-up",
            "ctrl-alt-left",
            "ctrl-alt-space",
        ] {
            let key = super::key(text).map(name);
            assert_eq!(key.as_deref(), Some(text));
        }
        assert_eq!(super::key("alt-"), None);
    }

    #[test]
    fn accepts_every_spelling_of_a_key() {
        for text in ["ctrl-]", "Ctrl-]", "C-]", "^]", " ctrl+] "] {
            assert_eq!(parse(text).as_deref(), Some("ctrl-]"), "{text}");
        }
        for (text, name) in [
            ("F12", "f12"),
            ("G", "G"),
            ("shift-g", "G"),
            ("Ctrl-X", "ctrl-x"),
            ("return", "enter"),
            ("PageUp", "pgup"),
            ("shift-tab", "backtab"),
            ("S-Up", "shift-up"),
            ("ctrl-left", "ctrl-left"),
            ("M-b", "alt-b"),
            ("C-M-b", "ctrl-alt-b"),
            ("ctrl-space", "ctrl-space"),
            ("^", "^"),
            ("-", "-"),
            (" ", "space"),
            ("é", "é"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn keys_that_send_the_same_byte_are_one_key() {
        for (text, name) in [
            ("ctrl-m", "enter"),
            ("C-i", "tab"),
            ("^[", "esc"),
            ("ctrl-?", "backspace"),
            ("ctrl-@", "ctrl-space"),
            ("ctrl-/", "ctrl-_"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn rejects_keys_that_no_terminal_sends() {
        for text in [
            "",
            "ctrl-",
            "ctr-x",
            "ctrl-1",
            "ctrl-shift-x",
            "f0",
            "f25",
            "f+1",
            "xyz",
            "\u{7}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
