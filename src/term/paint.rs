//! The bytes that make a terminal show what a screen shows, from nothing or from an earlier picture of it.
//!
//! What changes within a row is what the emulator says of that row: it walks its cells once, while asking it for
//! each of them costs ten times as much. Rows that wrap, the cursor and its attributes are painted here, because the
//! emulator's differences of a whole screen paint blanks over the first row of a line that has just wrapped, and
//! its cursor at the right margin relies on a backspace that real terminals do differently.

use std::fmt::Write as _;

use super::compat::REPLACEMENT;
use super::pen::Pen;

/// Brings a terminal of unknown state to where a repaint can begin: scroll region, origin, insert mode, autowrap,
/// character set, attributes, mouse and cursor shape, with nothing on it.
const NEUTRAL: &str = "\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x1b(B\x0f\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[0 q\x1b[m\x1b[H\x1b[J";

/// All of `screen`, for a terminal in any state.
pub fn whole(screen: &vt100::Screen) -> String {
    let empty = empty(screen);
    let mut painter = Painter::on_neutral(screen, empty.screen());
    painter.grid();
    painter.finish(true);
    painter.out.push_str(&screen.input_mode_formatted());
    painter.out
}

/// The cells of `screen`, and which rows go on in the next one, for a terminal in any state; the cursor is anywhere
/// after it, and the attributes are any.
pub fn grid(screen: &vt100::Screen) -> String {
    let empty = empty(screen);
    let mut painter = Painter::on_neutral(screen, empty.screen());
    painter.grid();
    painter.out
}

/// An emulator of the size of `screen` that shows nothing.
fn empty(screen: &vt100::Screen) -> vt100::Parser {
    let (rows, cols) = screen.size();
    vt100::Parser::new(rows, cols, 0)
}

/// The character that takes the last column of a row, with its attributes, and its column; none if there is none.
pub fn end_of_row(screen: &vt100::Screen, row: u16) -> Option<(u16, String)> {
    let mut painter = Painter::new(screen, screen);
    let col = painter.last_base(row);
    let cell = screen.cell(row, col).filter(|cell| cell.has_contents())?;
    painter.pen(cell);
    painter.out.push_str(cell.contents());
    Some((col, painter.out))
}

/// What turns `before` into `screen`; both have the same size.
pub fn difference(screen: &vt100::Screen, before: &vt100::Screen) -> String {
    let mut painter = Painter::new(screen, before);
    painter.grid();
    painter.finish(screen.hide_cursor() != before.hide_cursor());
    painter.out.push_str(&screen.input_mode_diff(before));
    painter.out
}

/// A row with its attributes and nothing else, for reading or printing anywhere: no cursor movement, no mode,
/// and attributes are reset at its end. `trim` leaves out blank cells at the end.
pub fn row(screen: &vt100::Screen, row: u16, trim: bool) -> String {
    let cols = screen.size().1.get();
    let mut cells: Vec<_> = (0..cols).filter_map(|col| screen.cell(row, col)).collect();
    if trim {
        let used = cells.iter().rposition(|cell| !blank(cell));
        cells.truncate(used.map_or(0, |last| last + 1));
    }
    let mut painter = Painter::new(screen, screen);
    painter.pen = Some(Pen::default());
    for cell in cells
        .into_iter()
        .filter(|cell| !cell.is_wide_continuation())
    {
        painter.pen(cell);
        painter.out.push_str(if cell.has_contents() {
            cell.contents()
        } else {
            " "
        });
    }
    if painter.pen != Some(Pen::default()) {
        painter.out.push_str("\x1b[0m");
    }
    painter.out
}

struct Painter<'a> {
    screen: &'a vt100::Screen,
    before: &'a vt100::Screen,
    cols: u16,
    out: String,
    /// Where the next character goes, if that is known: the column is the number of columns after the last one.
    at: Option<(u16, u16)>,
    /// The attributes in force, if they are known.
    pen: Option<Pen>,
}

impl<'a> Painter<'a> {
    fn new(screen: &'a vt100::Screen, before: &'a vt100::Screen) -> Self {
        Self {
            screen,
            before,
            cols: screen.size().1.get(),
            out: String::new(),
            at: None,
            pen: None,
        }
    }

    /// Begins with [`NEUTRAL`].
    fn on_neutral(screen: &'a vt100::Screen, empty: &'a vt100::Screen) -> Self {
        Self {
            out: NEUTRAL.to_owned(),
            at: Some((0, 0)),
            pen: Some(Pen::default()),
            ..Self::new(screen, empty)
        }
    }

    fn grid(&mut self) {
        let (screen, before) = (self.screen, self.before);
        let mut seam = false;
        for (row, change) in (0..).zip(screen.rows_diff(before, 0, self.cols)) {
            if seam {
                self.join(row);
            }
            self.row(row, &change);
            let (wraps, wrapped) = (screen.row_wrapped(row), before.row_wrapped(row));
            seam = wraps && self.has_new_end(row, wrapped);
            if wrapped && !wraps {
                self.unwrap(row);
            }
        }
    }

    /// Applies what the emulator says has changed in a row. That begins at the first column with no attributes;
    /// where it leaves the cursor is open.
    fn row(&mut self, row: u16, change: &str) {
        if change.is_empty() {
            return;
        }
        let (col, change) = skipped(change);
        self.go(row, col);
        if self.pen != Some(Pen::default()) {
            self.out.push_str("\x1b[m");
        }
        self.out.push_str(change);
        self.at = match u16::try_from(change.len()) {
            Ok(columns) if is_text(change) => Some((row, col + columns)),
            _ => None,
        };
        self.pen = ends_plain(change).then(Pen::default);
    }

    /// Whether the seam between a row that wraps and the one after it has to be made again. Where the change of the
    /// row ended with its last character, the cursor is known to be behind that.
    fn has_new_end(&mut self, row: u16, wrapped: bool) -> bool {
        let (last, base) = (self.cols - 1, self.last_base(row));
        let written = !wrapped || self.changed(row, base);
        if let Some(end) = self.screen.cell(row, base).filter(|end| end.has_contents())
            && written
        {
            self.at = Some((row, self.cols));
            self.pen = Some(Pen::of_cell(end));
        }
        written || self.changed(row, last) || self.changed(row, last - 1)
    }

    /// To make a terminal forget that a row goes on, the emulator erases its last cell with whatever attributes are
    /// in force; they are wrong for one that is blank and has not changed.
    fn unwrap(&mut self, row: u16) {
        let last = self.last_base(row);
        if let Some(end) = self.screen.cell(row, last)
            && !end.has_contents()
            && !self.changed(row, last)
        {
            self.go(row, last);
            self.pen(end);
            self.out.push_str("\x1b[X");
        }
    }

    fn paint(&mut self, row: u16, col: u16, cell: &vt100::Cell) {
        self.go(row, col);
        self.pen(cell);
        self.out.push_str(cell.contents());
        self.at = Some((row, col + if cell.is_wide() { 2 } else { 1 }));
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

    fn changed(&self, row: u16, col: u16) -> bool {
        self.screen.cell(row, col) != self.before.cell(row, col)
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
    fn pen(&mut self, cell: &vt100::Cell) {
        let pen = Pen::of_cell(cell);
        if self.pen != Some(pen) {
            self.pen = Some(pen);
            pen.push_sgr(&mut self.out);
        }
    }
}

/// The columns that `change` goes to the right at first, and the rest of it.
fn skipped(change: &str) -> (u16, &str) {
    let skip = || {
        let (columns, rest) = change.strip_prefix("\x1b[")?.split_once('C')?;
        match columns {
            "" => Some((1, rest)),
            _ => Some((columns.parse().ok()?, rest)),
        }
    };
    skip().unwrap_or((0, change))
}

/// Whether `change` is characters of one byte and one column.
fn is_text(change: &str) -> bool {
    change.bytes().all(|b| (b' '..=b'~').contains(&b))
}

/// Whether no attributes are in force after `change`, before which there were none.
fn ends_plain(change: &str) -> bool {
    let is_sgr = |sequence: &&str| {
        let parameters = |c: char| c.is_ascii_digit() || c == ';';
        sequence.trim_start_matches(parameters).starts_with('m')
    };
    // What stands before the first one is no sequence.
    let text = change.find("\x1b[").unwrap_or(change.len());
    let last = change[text..].rsplit("\x1b[").find(is_sgr);
    last.is_none_or(|sgr| sgr.starts_with('m'))
}

/// Whether a cell looks like one of an empty screen.
fn blank(cell: &vt100::Cell) -> bool {
    !cell.has_contents() && Pen::of_cell(cell) == Pen::default()
}

/// Bytes for a terminal, with the stand-in for U+FFFD turned back.
pub fn shown(text: String) -> Vec<u8> {
    if text.contains(REPLACEMENT) {
        return text.replace(REPLACEMENT, "\u{fffd}").into_bytes();
    }
    text.into_bytes()
}
