//! Mouse reports.

/// A mouse report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mouse {
    /// What happened.
    pub kind: MouseKind,
    /// Column, counted from 0.
    pub col: u16,
    /// Row, counted from 0.
    pub row: u16,
    /// Whether Ctrl was pressed.
    pub ctrl: bool,
    /// Whether Alt was pressed.
    pub alt: bool,
    /// Whether Shift was pressed.
    pub shift: bool,
}

/// Kind of mouse event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MouseKind {
    /// A button was pressed.
    Down(Button),
    /// A button was released.
    Up(Button),
    /// The pointer moved with a pressed button.
    Drag(Button),
    /// The pointer moved without a pressed button.
    Moved,
    /// The wheel was turned away from the user.
    ScrollUp,
    /// The wheel was turned towards the user.
    ScrollDown,
    /// The wheel was tilted left.
    ScrollLeft,
    /// The wheel was tilted right.
    ScrollRight,
}

/// A mouse button.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Button {
    /// The left button.
    Left,
    /// The middle button.
    Middle,
    /// The right button.
    Right,
}

impl Mouse {
    /// Parses an SGR report from the parameters of `CSI <`. `released` says whether the final byte
    /// was `m`. `None` for other buttons than these.
    pub(super) fn sgr(params: &[u32], released: bool) -> Option<Self> {
        let &[code, col, row] = params else {
            return None;
        };
        let [code, col, row] = [code, col, row].map(|n| u16::try_from(n).unwrap_or(u16::MAX));
        Self::new(code, col.saturating_sub(1), row.saturating_sub(1), released)
    }

    /// Parses an X10 report: three bytes, each 32 more than its value, with coordinates counted
    /// from 1.
    pub(super) fn legacy([code, col, row]: [u8; 3]) -> Option<Self> {
        let code = u16::from(code.saturating_sub(32));
        let (col, row) = (
            u16::from(col.saturating_sub(33)),
            u16::from(row.saturating_sub(33)),
        );
        // A release does not name the button.
        let released = code & 0x43 == 3 && code & 32 == 0;
        Self::new(if released { code & !3 } else { code }, col, row, released)
    }

    fn new(code: u16, col: u16, row: u16, released: bool) -> Option<Self> {
        let button = match code & 3 {
            0 => Some(Button::Left),
            1 => Some(Button::Middle),
            2 => Some(Button::Right),
            _ => None,
        };
        let (moved, wheel) = (code & 32 != 0, code & 64 != 0);
        let kind = match (button, code & 3) {
            _ if code >= 128 => return None,
            (_, 0) if wheel => MouseKind::ScrollUp,
            (_, 1) if wheel => MouseKind::ScrollDown,
            (_, 2) if wheel => MouseKind::ScrollLeft,
            _ if wheel => MouseKind::ScrollRight,
            (Some(button), _) if moved => MouseKind::Drag(button),
            (None, _) if moved => MouseKind::Moved,
            (Some(button), _) if released => MouseKind::Up(button),
            (Some(button), _) => MouseKind::Down(button),
            _ => return None,
        };
        Some(Self {
            kind,
            col,
            row,
            ctrl: code & 16 != 0,
            alt: code & 8 != 0,
            shift: code & 4 != 0,
        })
    }
}
