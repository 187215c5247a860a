//! Encodes mouse events as a terminal sends them, depending on the modes of the program.

use super::keyparse::{Button, Mouse, MouseKind};
use super::modes::{Modes, MouseMode};

/// The bytes for a mouse event at a column and row of the program's screen, counted from 0. `None`
/// if the program has not requested such events.
pub fn report(mouse: &Mouse, modes: &Modes) -> Option<Vec<u8>> {
    if !is_asked(mouse.kind, modes.mouse) {
        return None;
    }
    let (button, released) = match mouse.kind {
        MouseKind::Down(button) => (number(button), false),
        MouseKind::Up(button) => (number(button), true),
        MouseKind::Drag(button) => (number(button) + 32, false),
        MouseKind::Moved => (3 + 32, false),
        MouseKind::ScrollUp => (64, false),
        MouseKind::ScrollDown => (65, false),
        MouseKind::ScrollLeft => (66, false),
        MouseKind::ScrollRight => (67, false),
    };
    // Mode 9 reports no modifiers.
    let modifiers = match modes.mouse {
        MouseMode::Press => 0,
        _ => u16::from(mouse.shift) * 4 + u16::from(mouse.alt) * 8 + u16::from(mouse.ctrl) * 16,
    };
    let (col, row) = (mouse.col.saturating_add(1), mouse.row.saturating_add(1));
    if modes.mouse_sgr {
        let last = if released { 'm' } else { 'M' };
        let code = button + modifiers;
        return Some(format!("\x1b[<{code};{col};{row}{last}").into_bytes());
    }
    // The X10 encoding does not say which button was released.
    let code = if released { 3 } else { button } + modifiers;
    let mut out = b"\x1b[M".to_vec();
    for value in [code, col, row] {
        // A position that cannot be encoded is not reported, because a wrong one would be worse.
        match (u8::try_from(value + 32), modes.mouse_utf8) {
            (Ok(byte), false) => out.push(byte),
            (_, true) if value <= 2015 => {
                let c = char::from_u32(u32::from(value) + 32)?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return None,
        }
    }
    Some(out)
}

fn is_asked(kind: MouseKind, mode: MouseMode) -> bool {
    match kind {
        MouseKind::Up(_) => mode >= MouseMode::PressRelease,
        MouseKind::Drag(_) => mode >= MouseMode::Drag,
        MouseKind::Moved => mode >= MouseMode::Any,
        _ => mode >= MouseMode::Press,
    }
}

fn number(button: Button) -> u16 {
    match button {
        Button::Left => 0,
        Button::Middle => 1,
        Button::Right => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(kind: MouseKind, at: (u16, u16), mode: MouseMode, sgr: bool) -> String {
        let mouse = Mouse {
            kind,
            col: at.0,
            row: at.1,
            ctrl: false,
            alt: false,
            shift: true,
        };
        let modes = Modes {
            mouse: mode,
            mouse_sgr: sgr,
            ..Modes::default()
        };
        let bytes = report(&mouse, &modes).unwrap_or_default();
        bytes.escape_ascii().to_string()
    }

    #[test]
    fn only_requested_events_are_reported() {
        let (down, up) = (MouseKind::Down(Button::Left), MouseKind::Up(Button::Left));
        let drag = MouseKind::Drag(Button::Right);
        let at = (0, 9);
        assert_eq!(sent(down, at, MouseMode::None, true), "");
        assert_eq!(
            sent(down, at, MouseMode::PressRelease, true),
            r"\x1b[<4;1;10M"
        );
        assert_eq!(
            sent(up, at, MouseMode::PressRelease, true),
            r"\x1b[<4;1;10m"
        );
        assert_eq!(sent(drag, at, MouseMode::PressRelease, true), "");
        assert_eq!(sent(drag, at, MouseMode::Drag, true), r"\x1b[<38;1;10M");
        assert_eq!(sent(MouseKind::Moved, at, MouseMode::Drag, true), "");
        assert_eq!(sent(up, at, MouseMode::Press, true), "");
    }

    #[test]
    fn the_x10_encoding_has_three_bytes_and_ends_at_223() {
        let down = MouseKind::Down(Button::Middle);
        assert_eq!(sent(down, (0, 1), MouseMode::Press, false), "\\x1b[M!!\\\"");
        let up = MouseKind::Up(Button::Middle);
        assert_eq!(sent(up, (0, 1), MouseMode::Any, false), "\\x1b[M\\'!\\\"");
        assert_eq!(sent(down, (222, 0), MouseMode::Any, false), r"\x1b[M%\xff!");
        assert_eq!(sent(down, (223, 0), MouseMode::Any, false), "");
    }
}
