//! The screen of one session: the `vt100` emulator behind a type of our own.
//!
//! All output of a program is fed here once, in order. No output can panic the caller: a panic of
//! the emulator is caught, the screen is cleared, and [`Fed::restarted`] tells the caller to
//! rebuild it from the log. By default no scrollback is kept, because it costs most of the
//! emulator's speed.

mod next_run;
mod picture;
mod plain_rows;
mod rest;
mod text;
mod verbatim;

use std::cell::Cell as Flag;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use self::verbatim::Verbatim;
pub use super::cell::{Cell, Color};
use super::colors::Colors;
use super::compat::{Compat, REPLACEMENT, columns};
use super::cursor;
pub use super::cursor::{Cursor, CursorShape};
use super::extras::Extras;
use super::modes::{Modes, Reports};
use super::paint;
use super::pen::Pen;
use super::redraw::Start;
use super::shell_report::ShellReport;
use super::size::Size;
use crate::protocol::terminal_progress::TerminalProgress;
pub use picture::{Changes, Picture};
pub use rest::Resting;

/// Maximum number of fed bytes that are kept so that the screen can rest cheaply: as much as most
/// short commands print.
const SCRIPT: usize = 4096;

/// The screen of a terminal.
pub struct Screen {
    core: vt100::Parser,
    compat: Compat,
    size: Size,
    scrollback: usize,
    seq: u64,
    /// All bytes fed so far, as long as they are few and nothing else has changed the screen.
    script: Option<Vec<u8>>,
    verbatim: Verbatim,
}

/// Result of feeding bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fed {
    /// Whether the grid, the cursor or a mode may have changed.
    pub changed: bool,
    /// Number of bells.
    pub bells: u32,
    /// Whether the title changed.
    pub title_changed: bool,
    /// Whether the emulator failed; the screen is then empty.
    pub restarted: bool,
}

impl Screen {
    /// An empty screen without scrollback.
    pub fn new(size: Size) -> Self {
        Self::with_scrollback(size, 0)
    }

    /// An empty screen that keeps the last `lines` rows that have scrolled off.
    pub fn with_scrollback(size: Size, lines: usize) -> Self {
        Self {
            core: new_core(size, lines),
            compat: Compat::new(size),
            size,
            scrollback: lines,
            seq: 0,
            script: (lines == 0).then(Vec::new),
            verbatim: Verbatim::default(),
        }
    }

    /// Paints `bytes`. Never panics: if the emulator panics, the screen is cleared and the rest of
    /// `bytes` is skipped.
    pub fn feed(&mut self, bytes: &[u8]) -> Fed {
        self.script = self
            .script
            .take()
            .filter(|script| script.len() + bytes.len() <= SCRIPT);
        if let Some(script) = &mut self.script {
            script.extend_from_slice(bytes);
        }
        let Self {
            core,
            compat,
            verbatim,
            size,
            ..
        } = self;
        let planned = verbatim.plan(bytes, compat, core.screen().cursor_position(), *size);
        let painted = contained(|| compat.feed(core, bytes));
        let restarted = painted.is_none();
        if restarted {
            self.restart();
        } else if let Some(planned) = planned {
            let row = core.screen().cursor_position().0;
            verbatim.add(&planned, bytes, compat, row, *size);
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

    /// Takes the answers to queries fed since the last call, at most 4,095 bytes.
    pub fn take_replies(&mut self) -> Vec<u8> {
        self.compat.state.replies.take()
    }

    /// Changes the size. Text beyond a smaller width is lost; replay the log to keep it.
    pub fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        self.size = size;
        self.script = None;
        self.verbatim.interrupt();
        let (rows, cols) = (nonzero(size.rows()), nonzero(size.cols()));
        let core = &mut self.core;
        self.compat.state.resize(size);
        if contained(|| core.set_size(rows, cols)).is_none() {
            self.restart();
        }
        self.seq += 1;
    }

    /// Continues the numbering of the screen that this one replaces, whose [`seq`](Self::seq) was
    /// `before`.
    pub fn follow(&mut self, before: u64) {
        self.seq = before + 1;
    }

    /// Makes the number of the last change at least `offset`, that of the output which has caused it. So the numbers
    /// grow over the daemons that paint one log.
    pub fn changed_at(&mut self, offset: u64) {
        self.seq = self.seq.max(offset);
    }

    /// The attributes of the next character.
    pub fn pen(&self) -> Pen {
        Pen::of_screen(self.core.screen(), self.extras().now().style)
    }

    /// The state from which output can be abridged. `None` if a sequence is incomplete, or a mode
    /// is set that changes where text and cursor go.
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

    /// Sets the colours that the program is told when it asks. If it wants to know whether they are dark or light
    /// and that has changed, it is told.
    pub fn set_colors(&mut self, colors: Colors) {
        let state = &mut self.compat.state;
        let is_other = state.replies.colors.is_light() != colors.is_light();
        state.replies.colors = colors;
        if is_other && state.flags().color_scheme {
            state.replies.color_scheme();
        }
    }

    /// Takes over modes, title, progress and colours of a screen that this one replaces: they may have been set
    /// before the output that this one was painted from.
    pub fn take_modes(&mut self, before: &Self) {
        // What was fed does not say it.
        self.script = None;
        let (own, theirs) = (&mut self.compat.state, &before.compat.state);
        own.take_reports(theirs);
        self.verbatim.interrupt();
        let modes = before.core.screen().input_mode_formatted();
        let core = &mut self.core;
        if contained(|| core.process(modes.as_bytes())).is_none() {
            self.restart();
        }
    }

    /// The size of the screen.
    pub fn size(&self) -> Size {
        self.size
    }

    /// A number that grows with each feed or resize that changed the grid, the cursor or a mode.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The window title: no control characters, at most 256 characters.
    pub fn title(&self) -> &str {
        self.compat.state.title.text()
    }

    /// The progress that the program reports.
    pub fn progress(&self) -> Option<TerminalProgress> {
        self.compat.state.progress
    }

    /// What a shell has reported.
    pub fn shell(&self) -> &ShellReport {
        &self.compat.state.shell
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

    /// The number of the synchronized update (mode 2026) that the program is painting: the screen is not
    /// complete.
    pub fn update(&self) -> Option<u64> {
        let state = &self.compat.state;
        state.flags().updating.then_some(state.updates)
    }

    /// Whether the alternate screen is active.
    pub fn alt_screen(&self) -> bool {
        self.core.screen().alternate_screen()
    }

    /// The input modes.
    pub fn modes(&self) -> Modes {
        Modes::new(self.core.screen(), self.reports())
    }

    /// What the program has asked to be told.
    fn reports(&self) -> Reports {
        self.compat.state.reports(self.alt_screen())
    }

    fn extras(&self) -> &Extras {
        &self.compat.state.extras
    }

    /// Scrolls the view to `lines_up` lines above the present.
    pub fn scroll_to(&mut self, lines_up: usize) {
        self.verbatim.interrupt();
        self.core.screen_mut().set_scrollback(lines_up);
    }

    /// Number of scrollback lines.
    pub fn scrollback_len(&self) -> usize {
        self.core.screen().scrollback_len()
    }

    /// A cell, for drawing.
    pub fn cell(&self, row: u16, col: u16) -> Option<Cell<'_>> {
        let cell = self.core.screen().cell(row, col)?;
        Some(Cell::new(cell, self.extras()))
    }

    /// The cells of a row, for drawing.
    pub fn row(&self, row: u16) -> Vec<Cell<'_>> {
        let cols = 0..self.size.cols();
        let mut cells: Vec<Cell<'_>> = cols.filter_map(|col| self.cell(row, col)).collect();
        // The emulator stores no attributes in the right half of a wide character; copy them from
        // the left half.
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

    /// Number of columns up to the last non-empty cell. All cells after it look like those of an
    /// empty screen.
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

    /// The last row that is not as on an empty screen; the first row if all are. Walks the emulator's rows once,
    /// because it finds each single cell by walking from the top of the scrollback.
    pub fn last_drawn_row(&self) -> u16 {
        let rows = self.core.screen().rows_formatted(0, self.size.cols());
        let drawn = (0..).zip(rows).filter(|(_, row)| !row.is_empty());
        drawn.last().map_or(0, |(row, _)| row)
    }

    /// Drops the scrollback.
    pub fn clear_scrollback(&mut self) {
        self.core.screen_mut().clear_scrollback();
    }

    /// Whether the text of a row continues in the next one.
    pub fn row_wrapped(&self, row: u16) -> bool {
        self.core.screen().row_wrapped(row)
    }

    /// Starts over with an empty screen. Pending answers and the title belonged to the lost state,
    /// so they are dropped too.
    fn restart(&mut self) {
        let colors = std::mem::take(&mut self.compat.state.replies.colors);
        self.core = new_core(self.size, self.scrollback);
        self.compat = Compat::new(self.size);
        self.compat.state.replies.colors = colors;
        self.script = None;
        self.verbatim.interrupt();
    }
}

thread_local! {
    /// Whether a panic on this thread would be caught by [`contained`].
    static CONTAINED: Flag<bool> = const { Flag::new(false) };
}

/// Whether the current panic is one of the emulator that [`Screen`] catches. A panic hook calls
/// this because it must then report and restore nothing, and has no other way to know.
pub fn contains_panic() -> bool {
    CONTAINED.get()
}

/// Runs `work` on the emulator; `None` if it panics. The emulator must not be used after a panic,
/// so that no broken state becomes visible.
fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    CONTAINED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(false);
    done.ok()
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
