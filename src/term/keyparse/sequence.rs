//! Sequences that begin with ESC.

use super::{Event, Front, Key, KeyCode, Mouse};

/// The sequence at the beginning of `rest`, which starts with ESC; `None` if the ESC is a key of
/// its own.
pub(super) fn read(rest: &[u8]) -> Option<Front> {
    match rest.get(1)? {
        b'[' => csi(rest),
        b'O' => match rest.get(2) {
            None => Some(Front::Unfinished),
            Some(&letter) => Some(Front::Event(Event::Key(ss3(letter)?), 3)),
        },
        b']' | b'P' | b'_' | b'^' | b'X' => string(rest),
        _ => None,
    }
}

/// A control string that answers a query, up to BEL or ST; `None` if another ESC shows that it is
/// not one.
fn string(rest: &[u8]) -> Option<Front> {
    let at = 2 + rest[2..]
        .iter()
        .position(|b| matches!(b, 0x07 | 0x1b))
        .unwrap_or(rest.len() - 2);
    match &rest[at..] {
        [] | [0x1b] => Some(Front::Unfinished),
        [0x07, ..] => Some(reply(rest, at + 1)),
        [0x1b, b'\\', ..] => Some(reply(rest, at + 2)),
        _ => None,
    }
}

fn reply(rest: &[u8], len: usize) -> Front {
    Front::Event(Event::Reply(rest[..len].to_vec()), len)
}

fn csi(rest: &[u8]) -> Option<Front> {
    let body = &rest[2..];
    match body {
        [] | [b'['] | [b'M'] | [b'M', _] | [b'M', _, _] => return Some(Front::Unfinished),
        // F1 to F5 on the Linux console.
        [b'[', letter @ b'A'..=b'E', ..] => {
            let code = KeyCode::F(letter - b'A' + 1);
            return Some(Front::Event(Event::Key(Key::plain(code)), 4));
        }
        [b'M', a, b, c, ..] => {
            let event = Mouse::legacy([*a, *b, *c])
                .map_or_else(|| Event::Reply(rest[..6].to_vec()), Event::Mouse);
            return Some(Front::Event(event, 6));
        }
        _ => {}
    }
    let Some(end) = body.iter().position(|b| !(0x20..0x40).contains(b)) else {
        return Some(Front::Unfinished);
    };
    let last = body[end];
    if !(0x40..0x7f).contains(&last) {
        // No sequence contains such a byte, so the ESC was typed.
        return None;
    }
    let len = end + 3;
    let event = meaning(&body[..end], last).unwrap_or_else(|| Event::Reply(rest[..len].to_vec()));
    Some(Front::Event(event, len))
}

/// The event of a control sequence with this final byte; `None` if it is not one.
fn meaning(params: &[u8], last: u8) -> Option<Event> {
    match (params.first(), last) {
        (Some(b'<'), b'M' | b'm') => {
            return Mouse::sgr(&numbers(&params[1..]), last == b'm').map(Event::Mouse);
        }
        (Some(b'<'..=b'?'), _) => return None,
        (None, b'I') => return Some(Event::Focus(true)),
        (None, b'O') => return Some(Event::Focus(false)),
        // Shift with a cursor key in rxvt.
        (None, b'a'..=b'd') => {
            let code = lettered(last.to_ascii_uppercase())?;
            return Some(Event::Key(Key::modified(code, 2)));
        }
        _ => {}
    }
    let numbers = numbers(params);
    let first = numbers.first().copied().unwrap_or(0);
    let mods = numbers.get(1).copied().unwrap_or(0);
    // F3 and a cursor position report look alike. Row 1 with a small column is taken for the key.
    if last == b'R' && (first > 1 || mods > 16) {
        return None;
    }
    let code = match last {
        b'~' if first == 27 => unicode(*numbers.get(2)?),
        b'~' => Some(numbered(first)?),
        // Text that no key stands for, from an input method.
        b'u' if first == 0 => None,
        b'u' => unicode(first),
        _ => Some(lettered(last)?),
    };
    Some(match code.filter(|_| !is_released(params)) {
        Some(code) => Event::Key(Key::modified(code, mods)),
        None => Event::KeyReport,
    })
}

/// Whether the key was released. The kitty protocol reports that as a sub-parameter of the modifiers.
fn is_released(params: &[u8]) -> bool {
    let mods = params.split(|&b| b == b';').nth(1);
    mods.is_some_and(|mods| mods.ends_with(b":3"))
}

/// The parameters. Of one with sub-parameters, only the first.
fn numbers(params: &[u8]) -> Vec<u32> {
    params
        .split(|&b| b == b';')
        .map(|param| {
            param
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .fold(0u32, |n, &b| {
                    n.saturating_mul(10).saturating_add(u32::from(b - b'0'))
                })
        })
        .collect()
}

/// The key for `ESC O` and a letter.
fn ss3(letter: u8) -> Option<Key> {
    let code = match letter {
        b'M' => KeyCode::Enter,
        b'I' => KeyCode::Tab,
        b' ' => KeyCode::Char(' '),
        b'X' => KeyCode::Char('='),
        b'j'..=b'y' => KeyCode::Char(char::from(letter - 0x40)),
        // Ctrl with a cursor key in rxvt.
        b'a'..=b'd' => {
            let code = lettered(letter.to_ascii_uppercase())?;
            return Some(Key::modified(code, 5));
        }
        _ => lettered(letter)?,
    };
    Some(Key::plain(code))
}

fn lettered(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        b'Z' => KeyCode::BackTab,
        _ => return None,
    })
}

fn numbered(number: u32) -> Option<KeyCode> {
    let function = |base: u32| u8::try_from(number - base).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(10),
        17..=21 => function(11),
        23..=26 => function(12),
        28 | 29 => function(13),
        31..=34 => function(14),
        _ => None,
    }
}

/// The key for a Unicode value, or for a private value that the kitty protocol assigns to keys
/// without one.
fn unicode(value: u32) -> Option<KeyCode> {
    Some(match value {
        8 | 127 => KeyCode::Backspace,
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        57376..=57387 => KeyCode::F(u8::try_from(value - 57363).ok()?),
        57399..=57408 => KeyCode::Char(char::from(b'0' + u8::try_from(value - 57399).ok()?)),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        0..32 | 57344..=63743 => return None,
        _ => KeyCode::Char(char::from_u32(value)?),
    })
}
