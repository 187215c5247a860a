//! What comes back of a screen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::Timestamp;

/// The cursor of a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CursorAt {
    /// From 0.
    pub row: u16,
    /// From 0; never beyond the last one.
    pub col: u16,
    /// Whether it is shown.
    pub visible: bool,
    /// `block`, `underline` or `bar`.
    pub shape: CursorShape,
}

/// Shape of a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CursorShape {
    /// A full cell.
    #[default]
    Block,
    /// A line below.
    Underline,
    /// A line before.
    Bar,
}

/// `capture`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// The screen as text or ansi, unless `changed` is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// As a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// As a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
    /// As rows of cells, `cols` of them in each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<Vec<ScreenCell>>>,
    /// How many rows of it stand above the screen.
    #[serde(default)]
    pub scrollback: u64,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
    /// The cursor.
    pub cursor: CursorAt,
    /// Whether a full-screen program paints.
    pub alt_screen: bool,
    /// The title.
    pub title: Option<String>,
    /// Grows with each change.
    pub screen_seq: u64,
    /// Whether it differs from `since`.
    pub changed: bool,
    /// What the program asked of the keyboard and the mouse.
    #[serde(default)]
    pub modes: InputModes,
    /// Which moment this is, with `atOffset` or `atTime`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<ScreenMoment>,
}

/// A moment in the past of a screen, and those next to it: output that came together is one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScreenMoment {
    /// Bytes that had been written.
    pub offset: u64,
    /// When the last of them came.
    pub at: Option<Timestamp>,
    /// The moment before; `null`: this is the first.
    pub previous: Option<u64>,
    /// The moment after; `null`: nothing was written since.
    pub next: Option<u64>,
    /// When more was written.
    pub next_at: Option<Timestamp>,
}

/// One cell of a screen. What is not there has its default.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ScreenCell {
    /// Its character, with what combines with it; a blank where nothing was written, empty in the right half of a
    /// wide one.
    pub ch: String,
    /// Columns of the character: 2 for a wide one, 0 for the right half of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u8>,
    /// Colour of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fg: Option<CellColor>,
    /// Colour behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bg: Option<CellColor>,
    /// Bold.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bold: bool,
    /// Dim.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dim: bool,
    /// Italic.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub italic: bool,
    /// Underlined.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub underline: bool,
    /// Colours swapped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inverse: bool,
}

/// Colour of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CellColor {
    /// One of xterm's 256.
    Index(u8),
    /// `#rrggbb`.
    Rgb(String),
}

/// What a program asked of its terminal's keyboard and mouse.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputModes {
    /// Arrow keys send what application mode has (`send_keys` knows).
    pub app_cursor: bool,
    /// A paste is told from typing.
    pub bracketed_paste: bool,
    /// Mouse events are told to it.
    pub mouse: bool,
}
