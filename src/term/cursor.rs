//! Position and shape of the cursor, as protocol types.

pub use crate::protocol::reply::{CursorAt as Cursor, CursorShape};

/// Converts the emulator's cursor style. Blinking is left to the viewer's settings.
pub(super) fn shape(style: vt100::CursorStyle) -> CursorShape {
    use vt100::CursorStyle as Style;
    match style {
        Style::Default | Style::BlinkBlock | Style::SteadyBlock => CursorShape::Block,
        Style::BlinkUnderline | Style::SteadyUnderline => CursorShape::Underline,
        Style::BlinkVerticalBar | Style::SteadyVerticalBar => CursorShape::Bar,
    }
}
