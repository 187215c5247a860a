//! Results of `capture`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::Timestamp;

/// The cursor of a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CursorAt {
    /// Row, counted from 0.
    pub row: u16,
    /// Column, counted from 0; never beyond the last column.
    pub col: u16,
    /// Whether the cursor is visible.
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
    /// A line at the bottom of the cell.
    Underline,
    /// A vertical line at the left of the cell.
    Bar,
}

/// Result of `capture`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// The screen as text or ansi; absent if `changed` is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The screen as an HTML page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The screen as an SVG image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
    /// The screen as a PNG image, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub png: Option<String>,
    /// The screen as rows of `cols` cells each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<Vec<ScreenCell>>>,
    /// The links on the screen, if they were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<ScreenLink>>,
    /// Number of rows in it that are above the screen.
    #[serde(default)]
    pub scrollback: u64,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
    /// The cursor.
    pub cursor: CursorAt,
    /// Whether a full-screen program uses the alternate screen.
    pub alt_screen: bool,
    /// Terminal title.
    pub title: Option<String>,
    /// Grows with each change.
    pub screen_seq: u64,
    /// Whether the screen differs from `since`.
    pub changed: bool,
    /// Keyboard and mouse modes that the program has set.
    #[serde(default)]
    pub modes: InputModes,
    /// The moment shown, with `atOffset` or `atTime`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<ScreenMoment>,
}

/// A moment in the past of a screen, with its neighbours. Output that was written together is one
/// step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScreenMoment {
    /// Bytes of output up to this moment.
    pub offset: u64,
    /// When the last of them was written.
    pub at: Option<Timestamp>,
    /// Offset of the previous moment; `null` if this is the first.
    pub previous: Option<u64>,
    /// Offset of the next moment; `null` if nothing was written since.
    pub next: Option<u64>,
    /// When the next output was written.
    pub next_at: Option<Timestamp>,
}

/// One cell of a screen. Absent fields have their default.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ScreenCell {
    /// The character with its combining characters. A blank if nothing was written; empty in the
    /// right half of a wide character.
    pub ch: String,
    /// Width of the character in columns: 2 for a wide one, 0 for its right half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u8>,
    /// Text colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fg: Option<CellColor>,
    /// Background colour.
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
    /// Inverse colours.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inverse: bool,
    /// Blinking.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub blink: bool,
    /// Not shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub conceal: bool,
    /// Crossed out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strikethrough: bool,
    /// With a line above.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overline: bool,
    /// Kind of the underline; absent: a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline_style: Option<UnderlineStyle>,
    /// Colour of the underline; absent: that of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline_color: Option<CellColor>,
    /// Target of the link that the cell belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// Kind of an underline other than a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UnderlineStyle {
    /// Two lines.
    Double,
    /// A wave.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

/// A link on a screen (OSC 8).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScreenLink {
    /// Row of its first character, counted from 0.
    pub row: u16,
    /// Column of its first character, counted from 0.
    pub col: u16,
    /// Its text.
    pub text: String,
    /// Its target.
    pub uri: String,
}

/// Colour of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CellColor {
    /// One of xterm's 256 colours.
    Index(u8),
    /// `#rrggbb`.
    Rgb(String),
}

/// Keyboard and mouse modes that a program has set on its terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputModes {
    /// Application cursor mode: arrow keys send other sequences (`send_keys` handles this).
    pub app_cursor: bool,
    /// Bracketed paste mode: pastes are marked as such.
    pub bracketed_paste: bool,
    /// Whether the program receives mouse events.
    pub mouse: bool,
}

/// The screen of a session as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScreenText {
    /// Its rows, without blanks at their ends and blank rows at its end.
    pub text: String,
    /// Rows with a highlighted part, such as the selected item of a menu.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub highlighted: Vec<Highlight>,
    /// Row of the cursor, from 0 at the top.
    pub row: u16,
    /// Column of the cursor, from 0 at the left.
    pub col: u16,
}

/// A part of a row that stands out from the rest of the screen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Highlight {
    /// Row, from 0 at the top.
    pub row: u16,
    /// Its text.
    pub text: String,
}
