//! The input modes that a program has set. They decide the bytes of keys and mouse.

/// Input modes of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Modes {
    /// DECCKM: cursor keys send `ESC O` instead of `CSI`.
    pub app_cursor: bool,
    /// DECKPAM: the keypad sends `ESC O` sequences instead of characters.
    pub app_keypad: bool,
    /// Mode 2004: a paste is enclosed in `CSI 200~` and `CSI 201~`.
    pub bracketed_paste: bool,
    /// Mode 1004: focus changes are reported.
    pub focus_events: bool,
    /// The mouse events that are reported.
    pub mouse: MouseMode,
    /// Mode 1006: mouse reports use the SGR encoding.
    pub mouse_sgr: bool,
    /// Mode 1005: mouse coordinates are encoded as UTF-8 characters.
    pub mouse_utf8: bool,
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
    /// Combines the modes that the emulator tracks with the focus mode, which it does not.
    pub(super) fn new(screen: &vt100::Screen, focus_events: bool) -> Self {
        let encoding = screen.mouse_protocol_encoding();
        Self {
            app_cursor: screen.application_cursor(),
            app_keypad: screen.application_keypad(),
            bracketed_paste: screen.bracketed_paste(),
            focus_events,
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
