//! The cursor: where it is and how it looks.

use serde::{Deserialize, Serialize};

/// Where the cursor is and how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cursor {
    /// Row, from 0.
    pub row: u16,
    /// Column, from 0; never beyond the last one.
    pub col: u16,
    /// Whether it is shown.
    pub visible: bool,
    /// How it looks.
    pub shape: CursorShape,
}

/// How a cursor looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CursorShape {
    /// A filled cell.
    #[default]
    Block,
    /// A line under the cell.
    Underline,
    /// A line before the cell.
    Bar,
}

impl CursorShape {
    /// The emulator's style in our words: whether it blinks is the watcher's own taste.
    pub(super) fn new(style: vt100::CursorStyle) -> Self {
        use vt100::CursorStyle as Style;
        match style {
            Style::Default | Style::BlinkBlock | Style::SteadyBlock => Self::Block,
            Style::BlinkUnderline | Style::SteadyUnderline => Self::Underline,
            Style::BlinkVerticalBar | Style::SteadyVerticalBar => Self::Bar,
        }
    }
}
