//! Names of keys as people read and configure them: `j`, `ctrl-]`, `enter`, `f12`.

use crate::term::keyparse::{Key, KeyCode};

/// The name of `key`. Shift is part of a letter (`G`) and written out for other keys (`shift-up`).
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
    let mut name = String::new();
    if key.ctrl {
        name.push_str("ctrl-");
    }
    if key.alt {
        name.push_str("alt-");
    }
    if key.shift && !matches!(key.code, KeyCode::Char(_) | KeyCode::BackTab) {
        name.push_str("shift-");
    }
    name + &base
}

/// The key of a name, as [`name`] spells it.
pub fn key(name: &str) -> Option<Key> {
    let (ctrl, base) = match name.strip_prefix("ctrl-") {
        Some(base) => (true, base),
        None => (false, name),
    };
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
        ctrl,
        ..Key::plain(code)
    })
}

/// A key's name as configured (`C-]`, `^]`, `Ctrl+]`, `F12`), spelt as [`name`] spells it.
pub fn normalise(text: &str) -> String {
    let text = text.trim();
    for prefix in ["ctrl-", "ctrl+", "c-", "^"] {
        if let Some(head) = text.get(..prefix.len())
            && head.eq_ignore_ascii_case(prefix)
            && text.len() > prefix.len()
        {
            return format!("ctrl-{}", text[prefix.len()..].to_lowercase());
        }
    }
    if text.chars().count() == 1 {
        return text.to_owned();
    }
    text.to_lowercase()
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
    fn keys_are_called_what_people_call_them() {
        assert_eq!(name(key(KeyCode::Char(']'), true)), "ctrl-]");
        assert_eq!(name(key(KeyCode::Char('G'), false)), "G");
        assert_eq!(name(key(KeyCode::Char('L'), true)), "ctrl-l");
        assert_eq!(name(key(KeyCode::F(12), false)), "f12");
    }

    #[test]
    fn every_spelling_of_the_leave_key_is_one_key() {
        for text in ["ctrl-]", "Ctrl-]", "C-]", "^]", " ctrl+] "] {
            assert_eq!(normalise(text), "ctrl-]", "{text}");
        }
        assert_eq!(normalise("F12"), "f12");
        assert_eq!(normalise("G"), "G");
    }
}
