//! The keys that the dashboard knows.

/// A key with its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// Which key.
    pub code: KeyCode,
    /// Whether Ctrl was pressed.
    pub ctrl: bool,
    /// Whether Alt (Meta) was pressed.
    pub alt: bool,
    /// Whether Shift was pressed. A shifted letter is reported as a capital letter, without this
    /// flag.
    pub shift: bool,
}

/// A key without its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyCode {
    /// A character.
    Char(char),
    /// F1 to F24.
    F(u8),
    /// Enter.
    Enter,
    /// Tab.
    Tab,
    /// Shift-Tab.
    BackTab,
    /// Escape.
    Esc,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

impl Key {
    /// A key without modifiers.
    pub fn plain(code: KeyCode) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    /// A character with Ctrl.
    pub fn ctrl(c: char) -> Self {
        Self {
            ctrl: true,
            ..Self::plain(KeyCode::Char(c))
        }
    }

    /// A key with modifiers encoded as in xterm: 1 means none, and an absent number is 0.
    pub(super) fn modified(code: KeyCode, number: u32) -> Self {
        let bits = number.saturating_sub(1);
        let mut key = Self {
            code,
            ctrl: bits & 4 != 0,
            alt: bits & 2 != 0,
            shift: bits & 1 != 0,
        };
        match key.code {
            KeyCode::BackTab => key.shift = true,
            KeyCode::Tab if key.shift => key.code = KeyCode::BackTab,
            // Shift with a letter is reported as the capital letter.
            KeyCode::Char(c) if key.shift && !key.ctrl && !key.alt && c.is_alphabetic() => {
                key.code = KeyCode::Char(c.to_uppercase().next().unwrap_or(c));
                key.shift = false;
            }
            _ => {}
        }
        key
    }

    /// The key that sends a C0 control character or DEL.
    pub(super) fn control(byte: u8) -> Self {
        match byte {
            0 => Self::ctrl(' '),
            b'\t' => Self::plain(KeyCode::Tab),
            b'\r' => Self::plain(KeyCode::Enter),
            0x1b => Self::plain(KeyCode::Esc),
            0x7f => Self::plain(KeyCode::Backspace),
            1..=26 => Self::ctrl(char::from(byte - 1 + b'a')),
            _ => Self::ctrl(char::from(byte | 0x40)),
        }
    }
}
