//! Bytes that paint a screen on a terminal, from nothing or from an earlier picture. They contain the markers of
//! [`extras`](super::extras), which the caller converts.
//!
//! Changes within a row come from the emulator's own row differences: it walks the cells once,
//! while reading each cell through its API costs ten times as much. Rows that wrap, the cursor and
//! its attributes are painted here. The emulator's whole-screen difference paints blanks over the
//! first row of a line that has just wrapped, and its cursor at the right margin relies on a
//! backspace that real terminals handle differently.

use std::fmt::Write as _;
use std::ops::Range;

use super::pen::Pen;
use super::size::joined;

/// Resets a terminal of unknown state before a repaint: scroll region, origin, insert mode,
/// autowrap, character set, attributes, mouse and cursor shape. Also clears it.
const NEUTRAL: &str = "\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x1b(B\x0f\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[0 q\x1b[m\x1b[H\x1b[J";

/// Paints all of `screen` on a terminal in any state.
pub fn whole(screen: &vt100::Screen) -> String {
    let empty = empty(screen);
    let mut painter = Painter::on_neutral(screen, empty.screen());
    painter.grid();
    painter.finish(true);
    painter.out.push_str(&screen.input_mode_formatted());
    painter.out
}

/// Paints the cells of `screen` and its row wraps on a terminal in any state. The cursor position
/// and attributes afterwards are unspecified.
pub fn grid(screen: &vt100::Screen) -> String {
    let empty = empty(screen);
    let mut painter = Painter::on_neutral(screen, empty.screen());
    painter.grid();
    painter.out
}

/// An empty emulator of the same size as `screen`.
fn empty(screen: &vt100::Screen) -> vt100::Parser {
    let (rows, cols) = screen.size();
    vt100::Parser::new(rows, cols, 0)
}

/// The character that occupies the last column of a row, with its column and attributes; `None` if
/// that cell is empty.
pub fn end_of_row(screen: &vt100::Screen, row: u16) -> Option<(u16, String)> {
    written(screen, row, Painter::new(screen, screen).last_base(row))
}

/// The character at a position, with its column and attributes; `None` if there is none.
fn written(screen: &vt100::Screen, row: u16, col: u16) -> Option<(u16, String)> {
    let cell = screen.cell(row, col).filter(|cell| cell.has_contents())?;
    let mut painter = Painter::new(screen, screen);
    painter.pen(cell);
    painter.out.push_str(cell.contents());
    Some((col, painter.out))
}

/// The character before the cursor, with its column and attributes; `None` if there is none.
pub fn before_cursor(screen: &vt100::Screen) -> Option<(u16, String)> {
    let (row, col) = screen.cursor_position();
    let is_half = |col| {
        screen
            .cell(row, col)
            .is_some_and(vt100::Cell::is_wide_continuation)
    };
    let col = col.checked_sub(1)?;
    let col = if is_half(col) {
        col.checked_sub(1)?
    } else {
        col
    };
    written(screen, row, col)
}

/// Bytes that turn `before` into `screen`, and the rows that they may change. Both must have the same size.
pub fn difference(screen: &vt100::Screen, before: &vt100::Screen) -> (String, Range<u16>) {
    let mut painter = Painter::new(screen, before);
    painter.grid();
    painter.finish(screen.hide_cursor() != before.hide_cursor());
    painter.out.push_str(&screen.input_mode_diff(before));
    (painter.out, painter.rows)
}

/// A row with its attributes, to be read or printed anywhere: it contains no cursor movement and no
/// mode, and ends with attributes reset. `trim` omits blank cells at the end.
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
    /// Position of the next character, if known. The column equals the number of columns while a
    /// wrap is pending.
    at: Option<(u16, u16)>,
    /// Current attributes, if known.
    pen: Option<Pen>,
    /// The rows from the first to the last that was painted.
    rows: Range<u16>,
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
            rows: 0..0,
        }
    }

    /// Starts the output with [`NEUTRAL`].
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

    /// Applies the emulator's difference of a row. The difference starts at the first column
    /// without attributes; the cursor position after it is unknown.
    fn row(&mut self, row: u16, change: &str) {
        if change.is_empty() {
            return;
        }
        self.paints(row);
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

    /// Whether the wrap between this row and the next must be painted again. If the row's change
    /// ended with its last character, also records that the cursor stands after it.
    fn has_new_end(&mut self, row: u16, wrapped: bool) -> bool {
        let (last, base) = (self.cols - 1, self.last_base(row));
        let written = !wrapped || self.changed(row, base);
        if let Some(end) = self.screen.cell(row, base).filter(|end| end.has_contents())
            && written
        {
            self.at = Some((row, self.cols));
            self.pen = Some(Pen::of_cell(end));
        }
        written || self.changed(row, last) || self.changed(row, last.saturating_sub(1))
    }

    /// To end a wrap, the emulator's difference erases the last cell with the current attributes.
    /// If that cell is blank and unchanged, they are wrong, so erase it again with its own.
    fn unwrap(&mut self, row: u16) {
        let last = self.last_base(row);
        if let Some(end) = self.screen.cell(row, last)
            && !end.has_contents()
            && !self.changed(row, last)
        {
            self.paints(row);
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

    /// Makes the row above wrap into `row`: paints its last character, then the first one of `row`.
    fn join(&mut self, row: u16) {
        let col = self.last_base(row - 1);
        let (Some(end), Some(first)) = (self.screen.cell(row - 1, col), self.screen.cell(row, 0))
        else {
            return;
        };
        if !end.has_contents() {
            return;
        }
        self.paints(row - 1);
        self.paints(row);
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

    /// Paints the cursor and the current attributes.
    fn finish(&mut self, visibility: bool) {
        let (row, col) = self.screen.cursor_position();
        let pending = col >= self.cols;
        let base = self.last_base(row);
        match self.screen.cell(row, base) {
            // The cursor gets past the last column only by writing there.
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

    /// Column where the character that occupies the last column begins.
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

    fn paints(&mut self, row: u16) {
        self.rows = joined(self.rows.clone(), row..row + 1);
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
        // Erasing does not move the cursor, so the position is known until something is written.
        self.at = Some((row, col));
    }

    /// Sets the attributes of `cell`.
    fn pen(&mut self, cell: &vt100::Cell) {
        let pen = Pen::of_cell(cell);
        if self.pen != Some(pen) {
            self.pen = Some(pen);
            pen.push_sgr(&mut self.out);
        }
    }
}

/// Splits `change` into the number of columns that it skips at its beginning, and the rest.
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

/// Whether `change` consists of printable ASCII, one column per byte.
fn is_text(change: &str) -> bool {
    change.bytes().all(|b| (b' '..=b'~').contains(&b))
}

/// Whether `change` ends without attributes, if there were none before it.
fn ends_plain(change: &str) -> bool {
    let is_sgr = |sequence: &&str| {
        let parameters = |c: char| c.is_ascii_digit() || c == ';';
        sequence.trim_start_matches(parameters).starts_with('m')
    };
    // Text before the first `CSI` is not a sequence.
    let text = change.find("\x1b[").unwrap_or(change.len());
    let last = change[text..].rsplit("\x1b[").find(is_sgr);
    last.is_none_or(|sgr| sgr.starts_with('m'))
}

/// Whether a cell looks like one of an empty screen.
fn blank(cell: &vt100::Cell) -> bool {
    !cell.has_contents() && Pen::of_cell(cell) == Pen::default()
}
