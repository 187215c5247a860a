//! Keys in the kitty keyboard protocol.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::Key;
use super::mods::Mods;
use crate::term::keyboard::KittyFlags;

/// The numbers of keys that have no character, and of those of the keypad, which are keys of their own. They are those
/// of the private use area, so that characters have other ones.
const KEYS: RangeInclusive<u32> = 57344..=63743;

/// What happened to a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Press,
    Release,
}

/// The bytes of a pressed key, which has sent `usual` without the protocol; with [`KittyFlags::EVENT_TYPES`] also
/// those of its release.
pub(super) fn bytes(key: Key, mods: Mods, flags: KittyFlags, usual: Vec<u8>) -> Vec<u8> {
    let report = Report::of(key, mods);
    // The other flags only add to what is reported of a key.
    let is_reported = flags.has(KittyFlags::DISAMBIGUATE) || flags.has(KittyFlags::ALL_KEYS);
    let mut out = if is_reported {
        report.text(flags, Event::Press).into_bytes()
    } else {
        usual
    };
    if flags.has(KittyFlags::EVENT_TYPES) {
        out.extend(report.text(flags, Event::Release).into_bytes());
    }
    out
}

/// A key as the protocol sees it.
struct Report {
    /// The number of the key: its character without Shift, or the number of a key without one.
    number: u32,
    /// The last byte of the sequence.
    last: char,
    /// The character with Shift, if it is another.
    shifted: Option<char>,
    /// The text that the key types.
    text: Option<char>,
    /// What the key sends as long as it is not reported as a key.
    legacy: Option<char>,
    mods: Mods,
}

impl Report {
    fn of(key: Key, mods: Mods) -> Self {
        let special = |number, last| Self {
            number,
            last,
            shifted: None,
            text: None,
            legacy: None,
            mods,
        };
        match key {
            Key::Char(c) => Self::of_char(c, mods),
            Key::BackTab => Self {
                mods: Mods {
                    shift: true,
                    ..mods
                },
                ..special(9, 'u')
            },
            Key::Own(0x1b) => special(27, 'u'),
            Key::Own(byte) => Self {
                legacy: Some(char::from(byte)),
                ..special(u32::from(byte), 'u')
            },
            Key::Backspace => Self {
                legacy: Some('\x7f'),
                ..special(127, 'u')
            },
            // `CSI R` is also a report of the cursor's position.
            Key::Letter('R') => special(13, '~'),
            Key::Cursor(letter) | Key::Letter(letter) => special(1, letter),
            Key::Number(number) => special(u32::from(number), '~'),
            Key::ShiftedLetter(letter) => special(57376 + u32::from(letter) - u32::from('P'), 'u'),
            Key::ShiftedNumber(number) => special(
                match number {
                    15 => 57380,
                    17..=21 => 57364 + u32::from(number),
                    _ => 57363 + u32::from(number),
                },
                'u',
            ),
            Key::Keypad(c, _) => Self {
                text: (c != '\r').then_some(c).filter(|_| mods.is_text()),
                ..special(keypad(c), 'u')
            },
        }
    }

    fn of_char(c: char, mods: Mods) -> Self {
        let lower = single(c.to_lowercase(), c);
        let upper = single(c.to_uppercase(), c);
        // A capital letter is typed with Shift. With Ctrl it is only the usual spelling of the key.
        let shift = mods.shift || c != lower && !mods.ctrl;
        let mods = Mods { shift, ..mods };
        let shown = if shift { upper } else { c };
        Self {
            number: u32::from(lower),
            last: 'u',
            shifted: (shift && upper != lower).then_some(upper),
            text: mods.is_text().then_some(shown),
            legacy: None,
            mods,
        }
    }

    fn text(&self, flags: KittyFlags, event: Event) -> String {
        let all = flags.has(KittyFlags::ALL_KEYS);
        let plain = if self.mods == Mods::default() {
            self.text.or(self.legacy)
        } else {
            self.text
        };
        match (plain, event) {
            _ if all => {}
            // Enter, Tab and Backspace work in a shell that a program has left without resetting the keyboard.
            (_, Event::Release) if self.legacy.is_some() => return String::new(),
            (Some(text), Event::Press) if !KEYS.contains(&self.number) => return text.to_string(),
            _ => {}
        }
        self.sequence(flags, event)
    }

    fn sequence(&self, flags: KittyFlags, event: Event) -> String {
        let mut out = String::from("\x1b[");
        let mods = self.mods.number();
        let text = self
            .text
            .filter(|_| flags.has(KittyFlags::TEXT) && event == Event::Press);
        let has_mods = mods > 1 || event == Event::Release;
        let shifted = self
            .shifted
            .filter(|_| flags.has(KittyFlags::ALTERNATE_KEYS));
        if self.number != 1 || has_mods {
            let _ = write!(out, "{}", self.number);
        }
        if let Some(shifted) = shifted {
            let _ = write!(out, ":{}", u32::from(shifted));
        }
        if has_mods {
            let _ = write!(out, ";{mods}");
        } else if text.is_some() {
            out.push(';');
        }
        if event == Event::Release {
            out.push_str(":3");
        }
        if let Some(text) = text {
            let _ = write!(out, ";{}", u32::from(text));
        }
        out.push(self.last);
        out
    }
}

/// The only character of a mapping, or `c` if it has several.
fn single(mut mapped: impl ExactSizeIterator<Item = char>, c: char) -> char {
    match mapped.len() {
        1 => mapped.next().unwrap_or(c),
        _ => c,
    }
}

/// The number of a key of the keypad.
fn keypad(c: char) -> u32 {
    match c {
        '0'..='9' => 57399 + (u32::from(c) - u32::from('0')),
        '.' => 57409,
        '/' => 57410,
        '*' => 57411,
        '-' => 57412,
        '+' => 57413,
        _ => 57414,
    }
}
