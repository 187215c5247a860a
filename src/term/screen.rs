//! The screen of one session: the `vt100` emulator behind our own type.
//!
//! Everything a program prints is fed here once, in order. Nothing it prints can panic the caller: a panic of
//! the emulator is contained, the screen starts over empty and [`Fed::restarted`] says so, for the caller to
//! rebuild it from the log. No scrollback is kept unless asked for, because it costs most of the speed.

mod rest;

use std::cell::Cell as Flag;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use super::cell::{Cell, Color};
use super::compat::{Compat, REPLACEMENT, columns};
use super::cursor;
pub use super::cursor::{Cursor, CursorShape};
use super::modes::Modes;
use super::paint;
use super::pen::Pen;
use super::redraw::Start;
use super::size::Size;
pub use rest::Resting;

/// Bytes fed to a screen that are kept, so that it can rest at no cost: what most short commands print.
const SCRIPT: usize = 4096;

/// A terminal screen.
pub struct Screen {
    core: vt100::Parser,
    compat: Compat,
    size: Size,
    scrollback: usize,
    seq: u64,
    /// All that was fed, while that is little and nothing else has changed the screen.
    script: Option<Vec<u8>>,
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

/// A copy of what a screen shows, to find out later what changed.
#[derive(Clone)]
pub struct Picture {
    core: vt100::Screen,
    size: Size,
    focus: bool,
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
            compat: Compat::new(size),
            size,
            scrollback: lines,
            seq: 0,
            script: (lines == 0).then(Vec::new),
        }
    }

    /// Paints `bytes`. Never panics: when the emulator does, the screen is empty afterwards, and the rest of
    /// `bytes` is not on it.
    pub fn feed(&mut self, bytes: &[u8]) -> Fed {
        self.script = self
            .script
            .take()
            .filter(|script| script.len() + bytes.len() <= SCRIPT);
        if let Some(script) = &mut self.script {
            script.extend_from_slice(bytes);
        }
        let Self { core, compat, .. } = self;
        let painted = contained(|| compat.feed(core, bytes));
        let restarted = painted.is_none();
        if restarted {
            self.restart();
        }
        let changed = painted.unwrap_or(true);
        self.seq += u64::from(changed);
        let state = &mut self.compat.state;
        Fed {
            changed,
            bells: std::mem::take(&mut state.bells),
            title_changed: state.title.take_changed(),
            restarted,
        }
    }

    /// What the terminal answers to the queries fed since the last call; at most 4,095 bytes.
    pub fn take_replies(&mut self) -> Vec<u8> {
        self.compat.state.replies.take()
    }

    /// Changes the size. Text beyond a smaller width is lost: replay the log to keep it.
    pub fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        self.size = size;
        self.script = None;
        let (rows, cols) = (nonzero(size.rows()), nonzero(size.cols()));
        let core = &mut self.core;
        self.compat.state.resize(size);
        if contained(|| core.set_size(rows, cols)).is_none() {
            self.restart();
        }
        self.seq += 1;
    }

    /// Takes the place of a screen whose [`seq`](Self::seq) was `before`, and goes on from there.
    pub fn follow(&mut self, before: u64) {
        self.seq = before + 1;
    }

    /// What the next character is drawn with.
    pub fn pen(&self) -> Pen {
        Pen::of_screen(self.core.screen())
    }

    /// How it stands, if nothing is unfinished and no mode is on that makes text and cursor go
    /// other ways than they usually do.
    pub fn start(&self) -> Option<Start> {
        let (row, col) = self.core.screen().cursor_position();
        self.compat.is_ordinary().then(|| Start {
            size: self.size,
            row,
            col,
            pen: self.pen(),
            ascii: self.each_row_text(true).map(|row| row.is_ascii()).collect(),
        })
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
        self.compat.state.title.text()
    }

    /// The cursor.
    pub fn cursor(&self) -> Cursor {
        let screen = self.core.screen();
        let (row, col) = screen.cursor_position();
        Cursor {
            row,
            col: col.min(self.size.cols() - 1),
            visible: !screen.hide_cursor(),
            shape: cursor::shape(screen.cursor_style()),
        }
    }

    /// Whether the alternate screen is on.
    pub fn alt_screen(&self) -> bool {
        self.core.screen().alternate_screen()
    }

    /// The input modes.
    pub fn modes(&self) -> Modes {
        Modes::new(self.core.screen(), self.compat.state.flags().focus)
    }

    /// The text of each row. `trim` cuts blanks at row ends and blank rows at the end; without it each row is
    /// filled up to the last column.
    pub fn rows_text(&self, trim: bool) -> Vec<String> {
        let mut rows: Vec<String> = self.each_row_text(trim).collect();
        while trim && rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// The text of the first row that is shown, as [`rows_text`](Self::rows_text) has it.
    pub fn first_row_text(&self, trim: bool) -> String {
        self.each_row_text(trim).next().unwrap_or_default()
    }

    /// Row by row, because the emulator looks each cell up from the top of the scrollback.
    fn each_row_text(&self, trim: bool) -> impl Iterator<Item = String> {
        let cols = self.size.cols();
        self.core.screen().rows(0, cols).map(move |mut row| {
            if row.contains(REPLACEMENT) {
                row = row.replace(REPLACEMENT, "\u{fffd}");
            }
            if trim {
                row.truncate(row.trim_end_matches(' ').len());
            } else {
                // The emulator leaves out the blanks after the last character.
                let used = match row.is_ascii() {
                    true => row.len(),
                    false => row.chars().filter_map(columns).map(usize::from).sum(),
                };
                row.extend(std::iter::repeat_n(
                    ' ',
                    usize::from(cols).saturating_sub(used),
                ));
            }
            row
        })
    }

    /// [`rows_text`](Self::rows_text) joined by newlines.
    pub fn text(&self, trim: bool) -> String {
        self.rows_text(trim).join("\n")
    }

    /// The text with wrapped rows joined, without blanks at line ends and blank lines at the end: for copying.
    pub fn logical_text(&self) -> String {
        let mut text = String::new();
        for (row, line) in (0..).zip(self.each_row_text(false)) {
            text.push_str(&line);
            if !self.row_wrapped(row) {
                text.truncate(text.trim_end_matches(' ').len());
                text.push('\n');
            }
        }
        text.truncate(text.trim_end_matches([' ', '\n']).len());
        text
    }

    /// Terminal bytes that repaint all of it, with cursor and modes, on any terminal of this size whatever its
    /// state.
    pub fn ansi(&self) -> Vec<u8> {
        let mut out = paint::whole(self.core.screen());
        out.push_str(focus(self.compat.state.flags().focus));
        paint::shown(out)
    }

    /// The text of a row with its attributes (SGR sequences) and no other sequence, as `tmux capture-pane -e`
    /// prints it. `trim` cuts blank cells at its end.
    pub fn row_ansi(&self, row: u16, trim: bool) -> String {
        let text = paint::row(self.core.screen(), row, trim);
        match text.contains(REPLACEMENT) {
            true => text.replace(REPLACEMENT, "\u{fffd}"),
            false => text,
        }
    }

    /// Each row as [`row_ansi`](Self::row_ansi) has it; `trim` also leaves out blank rows at the end.
    pub fn rows_ansi(&self, trim: bool) -> Vec<String> {
        let rows = 0..self.size.rows();
        let mut rows: Vec<_> = rows.map(|row| self.row_ansi(row, trim)).collect();
        while trim && rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// The text before the cursor, or where there is none the last line above it:
    /// what a program that waits for input has asked for.
    pub fn prompt(&self) -> String {
        let cursor = self.cursor();
        let row = usize::from(cursor.row);
        let mut rows: Vec<String> = self.each_row_text(false).take(row + 1).collect();
        let own = rows.pop().unwrap_or_default();
        let own: String = own.chars().take(usize::from(cursor.col)).collect();
        if !own.trim().is_empty() {
            return own;
        }
        let mut above = rows.iter().rev().map(|row| row.trim_end());
        above
            .find(|row| !row.is_empty())
            .unwrap_or_default()
            .to_owned()
    }

    /// A copy to compare with later.
    pub fn picture(&self) -> Picture {
        Picture {
            core: self.core.screen().clone(),
            size: self.size,
            focus: self.compat.state.flags().focus,
        }
    }

    /// Terminal bytes that turn what `since` shows into what is shown now. Where the two cannot be compared (another
    /// size, the other screen) it is all of it.
    pub fn diff(&self, since: &Picture) -> Vec<u8> {
        let screen = self.core.screen();
        if since.size != self.size || since.core.alternate_screen() != screen.alternate_screen() {
            return self.ansi();
        }
        let mut out = paint::difference(screen, &since.core);
        let now = self.compat.state.flags().focus;
        if now != since.focus {
            out.push_str(focus(now));
        }
        paint::shown(out)
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
        self.core.screen().cell(row, col).map(Cell::new)
    }

    /// The cells of a row, for drawing.
    pub fn row(&self, row: u16) -> Vec<Cell<'_>> {
        let cols = 0..self.size.cols();
        let mut cells: Vec<Cell<'_>> = cols.filter_map(|col| self.cell(row, col)).collect();
        // The emulator gives the right half of a wide character no attributes; it looks as the left one does.
        for right in 1..cells.len() {
            if cells[right].width == 0 {
                let (text, width) = ("", 0);
                cells[right] = Cell {
                    text,
                    width,
                    ..cells[right - 1]
                };
            }
        }
        cells
    }

    /// Columns of a row up to the last one in which there is anything: from there on it is as an empty screen.
    pub fn row_end(&self, row: u16) -> u16 {
        let screen = self.core.screen();
        let written = |col: &u16| {
            screen.cell(row, *col).is_some_and(|cell| {
                cell.has_contents()
                    || cell.is_wide_continuation()
                    || cell.bgcolor() != vt100::Color::Default
                    || cell.inverse()
                    || cell.underline()
            })
        };
        let last = (0..self.size.cols()).rev().find(written);
        last.map_or(0, |col| col + 1)
    }

    /// Forgets what has scrolled off.
    pub fn clear_scrollback(&mut self) {
        self.core.screen_mut().clear_scrollback();
    }

    /// Whether the text of a row goes on in the next one.
    pub fn row_wrapped(&self, row: u16) -> bool {
        self.core.screen().row_wrapped(row)
    }

    /// Begins again with an empty screen. Answers and title belong to what was painted, so they go too.
    fn restart(&mut self) {
        self.core = new_core(self.size, self.scrollback);
        self.compat = Compat::new(self.size);
        self.script = None;
    }
}

thread_local! {
    /// Whether a panic now will be contained.
    static CONTAINED: Flag<bool> = const { Flag::new(false) };
}

/// Whether a panic now is one of the emulator that [`Screen`] contains: a panic hook has nothing to say or to
/// restore then, and no other way to know.
pub fn contains_panic() -> bool {
    CONTAINED.get()
}

/// Lets the emulator work; `None` if it panics, after which nothing of it may be used again, so that no broken
/// state can be seen.
fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    CONTAINED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(false);
    done.ok()
}

/// The bytes that switch focus reports.
fn focus(on: bool) -> &'static str {
    if on { "\x1b[?1004h" } else { "\x1b[?1004l" }
}

fn new_core(size: Size, scrollback: usize) -> vt100::Parser {
    vt100::Parser::new(nonzero(size.rows()), nonzero(size.cols()), scrollback)
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
