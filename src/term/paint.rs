//! The bytes that make a terminal show what a screen shows, from nothing or from an earlier picture of it.
//!
//! The emulator has such functions too, but its differences paint blanks over the first row of a line that has
//! just wrapped, and its cursor at the right margin relies on a backspace that real terminals do differently.
//! Here each changed cell is painted where it stands, and rows that wrap are joined by letting them wrap.

use std::fmt::Write as _;

use super::compat::REPLACEMENT;
use super::pen::Pen;

/// Brings a terminal of unknown state to where a repaint can begin: scroll region, origin, insert mode, autowrap,
/// character set, attributes, mouse and cursor shape, with nothing on it.
const NEUTRAL: &str = "\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x1b(B\x0f\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[0 q\x1b[m\x1b[H\x1b[J";

/// All of `screen`, for a terminal in any state.
pub fn whole(screen: &vt100::Screen) -> String {
    let mut painter = Painter::new(screen, None);
    painter.out.push_str(NEUTRAL);
    painter.grid();
    painter.finish(true);
    painter.out.push_str(&screen.input_mode_formatted());
    painter.out
}

/// The cells of `screen`, and which rows go on in the next one, for a terminal in any state; the cursor is anywhere
/// after it, and the attributes are any.
pub fn grid(screen: &vt100::Screen) -> String {
    let mut painter = Painter::new(screen, None);
    painter.out.push_str(NEUTRAL);
    painter.grid();
    painter.out
}

/// The character that takes the last column of a row, with its attributes, and its column; none if there is none.
pub fn end_of_row(screen: &vt100::Screen, row: u16) -> Option<(u16, String)> {
    let mut painter = Painter::new(screen, None);
    let col = painter.last_base(row);
    let cell = screen.cell(row, col).filter(|cell| cell.has_contents())?;
    painter.pen(cell);
    painter.out.push_str(cell.contents());
    Some((col, painter.out))
}

/// What turns `before` into `screen`; both have the same size.
pub fn difference(screen: &vt100::Screen, before: &vt100::Screen) -> String {
    let mut painter = Painter::new(screen, Some(before));
    painter.grid();
    painter.finish(screen.hide_cursor() != before.hide_cursor());
    painter.out.push_str(&screen.input_mode_diff(before));
    painter.out
}

/// A row with its attributes and nothing else, for reading or printing anywhere: no cursor movement, no mode,
/// and attributes are reset at its end. `trim` leaves out blank cells at the end.
pub fn row(screen: &vt100::Screen, row: u16, trim: bool) -> String {
    let cols = screen.size().1.get();
    let cell = |col| screen.cell(row, col);
    let used = (0..cols).rposition(|col| cell(col).is_some_and(|cell| !blank(cell)));
    let end = if trim {
        used.map_or(0, |last| last + 1)
    } else {
        usize::from(cols)
    };
    let mut painter = Painter::new(screen, None);
    for cell in (0..cols).take(end).filter_map(cell) {
        if cell.is_wide_continuation() {
            continue;
        }
        if painter.pen.is_some() || !plain_look(cell) {
            painter.pen(cell);
        }
        painter.out.push_str(if cell.has_contents() {
            cell.contents()
        } else {
            " "
        });
    }
    if painter.pen.is_some_and(|pen| !plain_look(pen)) {
        painter.out.push_str("\x1b[0m");
    }
    painter.out
}

struct Painter<'a> {
    screen: &'a vt100::Screen,
    before: Option<&'a vt100::Screen>,
    rows: u16,
    cols: u16,
    out: String,
    /// Where the next character goes, if that is known: the column is the number of columns after the last one.
    at: Option<(u16, u16)>,
    /// The cell whose attributes are in force.
    pen: Option<&'a vt100::Cell>,
}

impl<'a> Painter<'a> {
    fn new(screen: &'a vt100::Screen, before: Option<&'a vt100::Screen>) -> Self {
        let (rows, cols) = screen.size();
        let (rows, cols) = (rows.get(), cols.get());
        Self {
            screen,
            before,
            rows,
            cols,
            out: String::new(),
            at: None,
            pen: None,
        }
    }

    fn grid(&mut self) {
        for row in 0..self.rows {
            let wrapped = row > 0 && self.screen.row_wrapped(row - 1);
            let unwrapped = self.was_wrapped(row) && !self.screen.row_wrapped(row);
            if unwrapped {
                // Only erasing the last cell makes a terminal forget that the row goes on.
                let col = self.last_base(row);
                self.go(row, col);
                let _ = write!(self.out, "\x1b[{}X", self.cols - col);
            }
            if wrapped && self.rejoins(row) {
                self.join(row);
            }
            self.row(row, unwrapped);
        }
    }

    /// Paints the cells of a row that changed; with `tail` the last one in any case.
    fn row(&mut self, row: u16, tail: bool) {
        let last = self.last_base(row);
        let mut col = 0;
        while col < self.cols {
            let Some(cell) = self.screen.cell(row, col) else {
                return;
            };
            let width = if cell.is_wide() { 2 } else { 1 };
            let changed = (col..self.cols.min(col + width)).any(|col| self.changed(row, col));
            if changed || (tail && col == last) {
                if cell.has_contents() {
                    self.paint(row, col, cell);
                } else {
                    col = self.erase(row, col, cell);
                    continue;
                }
            }
            col += width;
        }
    }

    fn paint(&mut self, row: u16, col: u16, cell: &'a vt100::Cell) {
        self.go(row, col);
        self.pen(cell);
        self.out.push_str(cell.contents());
        self.at = Some((row, col + if cell.is_wide() { 2 } else { 1 }));
    }

    /// Erases the blank cells from `col` on that look the same; returns the column after them.
    fn erase(&mut self, row: u16, col: u16, cell: &'a vt100::Cell) -> u16 {
        let mut end = col + 1;
        while end < self.cols && self.screen.cell(row, end) == Some(cell) {
            end += 1;
        }
        // Nothing but the rest of an empty row: no need when it was as empty before.
        let from = (col..end)
            .find(|&col| self.changed(row, col))
            .unwrap_or(col);
        self.go(row, from);
        self.pen(cell);
        if end == self.cols {
            self.out.push_str("\x1b[K");
        } else {
            let _ = write!(self.out, "\x1b[{}X", end - from);
        }
        end
    }

    /// Whether the seam between a wrapped row and `row` after it has to be made again.
    fn rejoins(&self, row: u16) -> bool {
        let last = self.cols - 1;
        !self.was_wrapped(row - 1) || self.changed(row - 1, last) || self.changed(row - 1, last - 1)
    }

    /// Lets the row above wrap into `row`: its last character, then the first one here.
    fn join(&mut self, row: u16) {
        let col = self.last_base(row - 1);
        let (Some(end), Some(first)) = (self.screen.cell(row - 1, col), self.screen.cell(row, 0))
        else {
            return;
        };
        if !end.has_contents() {
            return;
        }
        if self.at != Some((row - 1, self.cols)) {
            self.paint(row - 1, col, end);
        }
        if first.has_contents() {
            self.pen(first);
            self.out.push_str(first.contents());
            self.at = Some((row, if first.is_wide() { 2 } else { 1 }));
        } else {
            self.out.push(' ');
            self.at = None;
            self.go(row, 0);
            self.pen(first);
            self.out.push_str("\x1b[X");
        }
    }

    /// Cursor and attributes.
    fn finish(&mut self, visibility: bool) {
        let (row, col) = self.screen.cursor_position();
        let pending = col >= self.cols;
        let base = self.last_base(row);
        match self.screen.cell(row, base) {
            // Only writing there brings the cursor behind the last column.
            Some(cell) if pending && cell.has_contents() => {
                self.at = None;
                self.paint(row, base, cell);
            }
            _ => self.go(row, col.min(self.cols - 1)),
        }
        self.out.push_str(&self.screen.attributes_formatted());
        if visibility {
            self.out.push_str(if self.screen.hide_cursor() {
                "\x1b[?25l"
            } else {
                "\x1b[?25h"
            });
        }
    }

    /// Column of the character that takes the last column.
    fn last_base(&self, row: u16) -> u16 {
        let last = self.cols - 1;
        let half = self
            .screen
            .cell(row, last)
            .is_some_and(vt100::Cell::is_wide_continuation);
        if half { last - 1 } else { last }
    }

    fn was_wrapped(&self, row: u16) -> bool {
        self.before.is_some_and(|before| before.row_wrapped(row))
    }

    fn changed(&self, row: u16, col: u16) -> bool {
        let now = self.screen.cell(row, col);
        match self.before {
            Some(before) => now != before.cell(row, col),
            None => now.is_some_and(|cell| !blank(cell)),
        }
    }

    fn go(&mut self, row: u16, col: u16) {
        if self.at != Some((row, col)) {
            let _ = write!(
                self.out,
                "\x1b[{};{}H",
                u32::from(row) + 1,
                u32::from(col) + 1
            );
        }
        // Erasing leaves the cursor, so this holds until something is written.
        self.at = Some((row, col));
    }

    /// Puts the attributes of `cell` in force.
    fn pen(&mut self, cell: &'a vt100::Cell) {
        if self.pen.is_some_and(|pen| same_look(pen, cell)) {
            return;
        }
        self.pen = Some(cell);
        Pen::of_cell(cell).push_sgr(&mut self.out);
    }
}

fn same_look(a: &vt100::Cell, b: &vt100::Cell) -> bool {
    Pen::of_cell(a) == Pen::of_cell(b)
}

/// Whether a cell looks like one of an empty screen.
fn blank(cell: &vt100::Cell) -> bool {
    !cell.has_contents() && plain_look(cell)
}

/// Whether a cell has no attributes.
fn plain_look(cell: &vt100::Cell) -> bool {
    Pen::of_cell(cell) == Pen::default()
}

/// Bytes for a terminal, with the stand-in for U+FFFD turned back.
pub fn shown(text: String) -> Vec<u8> {
    if text.contains(REPLACEMENT) {
        return text.replace(REPLACEMENT, "\u{fffd}").into_bytes();
    }
    text.into_bytes()
}
