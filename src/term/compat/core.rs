//! The compat layer's access to the emulator. Unchanged runs of bytes are passed on in one call;
//! everything else is written as a sequence that the emulator supports.

use std::ops::Range;

use crate::term::scan::Token;

/// Represents U+FFFD in the grid, because `vt100` does not draw U+FFFD and invalid bytes would
/// vanish. It is a private use character of one column and is converted back wherever text leaves
/// the screen.
pub const REPLACEMENT: char = '\u{10fffd}';

/// The sequence that switches the emulator to its primary or alternate screen.
pub fn switch_to(alternate: bool) -> &'static [u8] {
    if alternate {
        b"\x1b[?47h"
    } else {
        b"\x1b[?47l"
    }
}

/// The emulator, and the part of the input that is still to be passed on unchanged.
pub struct Core<'a> {
    parser: &'a mut vt100::Parser,
    input: &'a [u8],
    run: Range<usize>,
    /// Range of the current token in the input, if it lies there completely.
    token: Option<Range<usize>>,
    /// Whether anything has reached the emulator.
    pub painted: bool,
    /// Number of cells that functions on areas have touched.
    area_cells: usize,
}

/// Cells that functions on areas may touch in one input, unless the screen is larger: 136 screens of 24 by 80.
const MOST_AREA_CELLS: usize = 1 << 18;

impl<'a> Core<'a> {
    /// Creates the access to `parser` for one `input`.
    pub fn new(parser: &'a mut vt100::Parser, input: &'a [u8]) -> Self {
        Self {
            parser,
            input,
            run: 0..0,
            token: None,
            painted: false,
            area_cells: 0,
        }
    }

    /// Whether a function on an area may touch so many cells. They are counted: without a limit, each six bytes
    /// could paint a whole large window, and delay all other sessions.
    pub fn may_touch(&mut self, cells: usize) -> bool {
        self.area_cells = self.area_cells.saturating_add(cells);
        let (rows, cols) = self.screen().size();
        let screen = usize::from(rows.get()) * usize::from(cols.get());
        self.area_cells <= MOST_AREA_CELLS.max(2 * screen)
    }

    /// Sets the range of the current token in the input.
    pub fn token(&mut self, range: Option<Range<usize>>) {
        self.token = range;
    }

    /// Passes the current token on unchanged.
    pub fn keep(&mut self, token: &Token<'_>) {
        match self.token.take() {
            None => self.put(&token.bytes()),
            Some(range) => self.keep_range(range),
        }
    }

    /// Passes on a range of the input. Adjacent ranges are passed on in one call.
    pub fn keep_range(&mut self, range: Range<usize>) {
        if range.start != self.run.end {
            self.flush();
            self.run.start = range.start;
        }
        self.run.end = range.end;
    }

    /// Passes on a control sequence that is not in the input in this form. `body` is the part after
    /// `CSI`.
    pub fn put_csi(&mut self, body: &str) {
        self.put(format!("\x1b[{body}").as_bytes());
    }

    /// Passes on bytes that are not in the input in this form.
    pub fn put(&mut self, bytes: &[u8]) {
        self.flush();
        self.painted |= !bytes.is_empty();
        self.parser.process(bytes);
    }

    /// Passes on the pending run of input.
    pub fn flush(&mut self) {
        if self.run.is_empty() {
            return;
        }
        self.painted = true;
        self.parser.process(&self.input[self.run.clone()]);
        self.run = self.run.end..self.run.end;
    }

    /// Row and column of the cursor, counted from 0. While a wrap is pending, the column equals the
    /// number of columns.
    pub fn cursor(&mut self) -> (u16, u16) {
        self.screen().cursor_position()
    }

    /// Moves the cursor to `row` and `col`, counted from 0. In origin mode, the emulator counts rows from the top
    /// margin.
    pub fn go(&mut self, row: u16, col: u16) {
        self.put_csi(&format!("{};{}H", u32::from(row) + 1, u32::from(col) + 1));
    }

    /// Moves the cursor to column `col`, counted from 0.
    pub fn go_col(&mut self, col: u16) {
        self.put_csi(&format!("{}G", u32::from(col) + 1));
    }

    /// The screen, with all input so far painted.
    pub fn screen(&mut self) -> &vt100::Screen {
        self.flush();
        self.parser.screen()
    }
}
