//! The screen of one session: the `vt100` emulator behind our own type.
//!
//! Everything a program prints is fed here once, in order. Nothing it prints can panic the caller: a panic of
//! the emulator is contained, the screen starts over empty and [`Fed::restarted`] says so, for the caller to
//! rebuild it from the log. No scrollback is kept unless asked for, because it costs most of the speed.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

use super::modes::{Modes, MouseMode};
use super::size::Size;

/// A terminal screen.
pub struct Screen {
    core: vt100::Parser,
    size: Size,
    scrollback: usize,
    seq: u64,
    title: String,
    replies: Vec<u8>,
}

/// What feeding bytes did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fed {
    /// The grid, the cursor or a mode may have changed.
    pub changed: bool,
    /// How often the bell rang.
    pub bells: u32,
    /// The title changed.
    pub title_changed: bool,
    /// The emulator failed and the screen is empty now.
    pub restarted: bool,
}

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

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 256.
    Idx(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// One cell of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell<'a> {
    /// Its characters; empty when nothing was written there or it is the right half of a wide character.
    pub text: &'a str,
    /// Columns it takes: 2 for a wide character, 0 for the right half of one.
    pub width: u8,
    /// Foreground.
    pub fg: Color,
    /// Background.
    pub bg: Color,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Foreground and background swapped.
    pub inverse: bool,
}

/// A copy of what a screen shows, to find out later what changed.
#[derive(Clone)]
pub struct Picture {
    core: vt100::Screen,
}

impl Screen {
    /// An empty screen without scrollback.
    pub fn new(size: Size) -> Self {
        Self::with_scrollback(size, 0)
    }

    /// An empty screen that keeps the last `lines` rows that scrolled off.
    pub fn with_scrollback(size: Size, lines: usize) -> Self {
        Self {
            core: new_core(size, lines),
            size,
            scrollback: lines,
            seq: 0,
            title: String::new(),
            replies: Vec::new(),
        }
    }

    /// Paints `bytes`. Never panics.
    pub fn feed(&mut self, bytes: &[u8]) -> Fed {
        let core = &mut self.core;
        let fine = catch_unwind(AssertUnwindSafe(|| core.process(bytes))).is_ok();
        if !fine {
            self.core = new_core(self.size, self.scrollback);
        }
        self.seq += 1;
        Fed {
            changed: !bytes.is_empty(),
            restarted: !fine,
            ..Fed::default()
        }
    }

    /// What the terminal answers to the queries fed since the last call; bounded.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    /// Changes the size. Text beyond a smaller width is lost: replay the log to keep it.
    pub fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        self.size = size;
        self.core
            .set_size(nonzero(size.rows()), nonzero(size.cols()));
        self.seq += 1;
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Grows with each feed or resize that changed the grid, the cursor or a mode.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The window title: no control characters, at most 256 characters.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The cursor.
    pub fn cursor(&self) -> Cursor {
        let (row, col) = self.core.screen().cursor_position();
        Cursor {
            row,
            col: col.min(self.size.cols() - 1),
            visible: !self.core.screen().hide_cursor(),
            shape: shape(self.core.screen().cursor_style()),
        }
    }

    /// Whether the alternate screen is on.
    pub fn alt_screen(&self) -> bool {
        self.core.screen().alternate_screen()
    }

    /// The input modes.
    pub fn modes(&self) -> Modes {
        let core = self.core.screen();
        let encoding = core.mouse_protocol_encoding();
        Modes {
            app_cursor: core.application_cursor(),
            app_keypad: core.application_keypad(),
            bracketed_paste: core.bracketed_paste(),
            focus_events: false,
            mouse: mouse(core.mouse_protocol_mode()),
            mouse_sgr: encoding == vt100::MouseProtocolEncoding::Sgr,
            mouse_utf8: encoding == vt100::MouseProtocolEncoding::Utf8,
        }
    }

    /// The text of each row. `trim` cuts blanks at row ends and blank rows at the end; without it each row is
    /// filled up to the last column.
    pub fn rows_text(&self, trim: bool) -> Vec<String> {
        let mut rows: Vec<String> = self.core.screen().rows(0, self.size.cols()).collect();
        if trim {
            for row in &mut rows {
                row.truncate(row.trim_end().len());
            }
            while rows.last().is_some_and(String::is_empty) {
                rows.pop();
            }
        }
        rows
    }

    /// [`rows_text`](Self::rows_text) joined by newlines.
    pub fn text(&self, trim: bool) -> String {
        self.rows_text(trim).join("\n")
    }

    /// The text with wrapped rows joined, for copying.
    pub fn logical_text(&self) -> String {
        self.core.screen().contents()
    }

    /// Terminal bytes that repaint all of it, with cursor and modes, on any terminal of this size.
    pub fn ansi(&self) -> Vec<u8> {
        self.core.screen().state_formatted().into_bytes()
    }

    /// A copy to compare with later.
    pub fn picture(&self) -> Picture {
        Picture {
            core: self.core.screen().clone(),
        }
    }

    /// Terminal bytes that turn what `since` shows into what is shown now.
    pub fn diff(&self, since: &Picture) -> Vec<u8> {
        self.core.screen().state_diff(&since.core).into_bytes()
    }

    /// Shows what was `lines_up` lines above the present.
    pub fn scroll_to(&mut self, lines_up: usize) {
        self.core.screen_mut().set_scrollback(lines_up);
    }

    /// How many lines are kept above the present.
    pub fn scrollback_len(&self) -> usize {
        self.core.screen().scrollback_len()
    }

    /// A cell, for drawing.
    pub fn cell(&self, row: u16, col: u16) -> Option<Cell<'_>> {
        let cell = self.core.screen().cell(row, col)?;
        let width = match (cell.is_wide(), cell.is_wide_continuation()) {
            (true, _) => 2,
            (_, true) => 0,
            _ => 1,
        };
        Some(Cell {
            text: cell.contents(),
            width,
            fg: color(cell.fgcolor()),
            bg: color(cell.bgcolor()),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        })
    }

    /// Whether the text of a row goes on in the next one.
    pub fn row_wrapped(&self, row: u16) -> bool {
        self.core.screen().row_wrapped(row)
    }
}

fn new_core(size: Size, scrollback: usize) -> vt100::Parser {
    vt100::Parser::new(nonzero(size.rows()), nonzero(size.cols()), scrollback)
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN)
}

fn shape(style: vt100::CursorStyle) -> CursorShape {
    use vt100::CursorStyle as Style;
    match style {
        Style::Default | Style::BlinkBlock | Style::SteadyBlock => CursorShape::Block,
        Style::BlinkUnderline | Style::SteadyUnderline => CursorShape::Underline,
        Style::BlinkVerticalBar | Style::SteadyVerticalBar => CursorShape::Bar,
    }
}

fn mouse(mode: vt100::MouseProtocolMode) -> MouseMode {
    use vt100::MouseProtocolMode as Mode;
    match mode {
        Mode::None => MouseMode::None,
        Mode::Press => MouseMode::Press,
        Mode::PressRelease => MouseMode::PressRelease,
        Mode::ButtonMotion => MouseMode::Drag,
        Mode::AnyMotion => MouseMode::Any,
    }
}

fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(i) => Color::Idx(i),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}
