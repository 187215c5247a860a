//! The cursor: where it is and how it looks, in the words of the protocol.

pub use crate::protocol::reply::{CursorAt as Cursor, CursorShape};

/// The emulator's style in our words: whether it blinks is the watcher's own taste.
pub(super) fn shape(style: vt100::CursorStyle) -> CursorShape {
    use vt100::CursorStyle as Style;
    match style {
        Style::Default | Style::BlinkBlock | Style::SteadyBlock => CursorShape::Block,
        Style::BlinkUnderline | Style::SteadyUnderline => CursorShape::Underline,
        Style::BlinkVerticalBar | Style::SteadyVerticalBar => CursorShape::Bar,
    }
}
