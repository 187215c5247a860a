//! The input modes that a program has set. They decide the bytes of keys and mouse.

use std::fmt::Write as _;

use super::keyboard::KeyProtocol;

/// Input modes of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Modes {
    /// DECCKM: cursor keys send `ESC O` instead of `CSI`.
    pub app_cursor: bool,
    /// DECKPAM: the keypad sends `ESC O` sequences instead of characters.
    pub app_keypad: bool,
    /// Mode 2004: a paste is enclosed in `CSI 200~` and `CSI 201~`.
    pub bracketed_paste: bool,
    /// What is reported besides.
    pub reports: Reports,
    /// The mouse events that are reported.
    pub mouse: MouseMode,
    /// Mode 1006: mouse reports use the SGR encoding.
    pub mouse_sgr: bool,
    /// Mode 1005: mouse coordinates are encoded as UTF-8 characters.
    pub mouse_utf8: bool,
}

/// What a program has asked to be told. The emulator does not have these modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reports {
    /// Mode 1004: focus changes.
    pub focus: bool,
    /// Mode 2031: changes between dark and light colours.
    pub color_scheme: bool,
    /// Mode 2048: changes of the size.
    pub size: bool,
    /// How keys are reported.
    pub keys: KeyProtocol,
}

impl Reports {
    /// The sequences that switch a terminal in any state to these reports.
    pub(super) fn push_all(self, out: &mut String) {
        let other = Self {
            focus: !self.focus,
            color_scheme: !self.color_scheme,
            size: !self.size,
            keys: self.keys.other(),
        };
        self.push_change(other, out);
    }

    /// The sequences that switch a terminal to these reports from `before`.
    pub(super) fn push_change(self, before: Self, out: &mut String) {
        for (number, now, before) in [
            (1004, self.focus, before.focus),
            (2031, self.color_scheme, before.color_scheme),
            (2048, self.size, before.size),
        ] {
            if now != before {
                let last = if now { 'h' } else { 'l' };
                let _ = write!(out, "\x1b[?{number}{last}");
            }
        }
        self.keys.push_change(before.keys, out);
    }
}

/// The mouse events that a program receives. Each level includes the previous ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum MouseMode {
    /// None.
    #[default]
    None,
    /// Presses only (mode 9).
    Press,
    /// Presses and releases (mode 1000).
    PressRelease,
    /// Also movement while a button is pressed (mode 1002).
    Drag,
    /// Also movement without a pressed button (mode 1003).
    Any,
}

impl Modes {
    /// Combines the modes that the emulator tracks with those that it does not.
    pub(super) fn new(screen: &vt100::Screen, reports: Reports) -> Self {
        let encoding = screen.mouse_protocol_encoding();
        Self {
            app_cursor: screen.application_cursor(),
            app_keypad: screen.application_keypad(),
            bracketed_paste: screen.bracketed_paste(),
            reports,
            mouse: MouseMode::new(screen.mouse_protocol_mode()),
            mouse_sgr: encoding == vt100::MouseProtocolEncoding::Sgr,
            mouse_utf8: encoding == vt100::MouseProtocolEncoding::Utf8,
        }
    }
}

impl MouseMode {
    fn new(mode: vt100::MouseProtocolMode) -> Self {
        use vt100::MouseProtocolMode as Mode;
        match mode {
            Mode::None => Self::None,
            Mode::Press => Self::Press,
            Mode::PressRelease => Self::PressRelease,
            Mode::ButtonMotion => Self::Drag,
            Mode::AnyMotion => Self::Any,
        }
    }
}
