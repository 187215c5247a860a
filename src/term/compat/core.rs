//! The emulator as the compat layer writes to it: runs of bytes that need no change go in as they came, in one
//! call, and everything else goes in as a sequence the emulator knows.

use std::ops::Range;

use crate::term::scan::Csi;

/// Stands for U+FFFD in the grid: `vt100` draws no U+FFFD, so invalid bytes would vanish. A private use character
/// of one column, which is turned back wherever text leaves the screen.
pub const REPLACEMENT: char = '\u{10fffd}';

/// The emulator and the part of the input that waits to be passed on unchanged.
pub struct Core<'a> {
    parser: &'a mut vt100::Parser,
    input: &'a [u8],
    run: Range<usize>,
    /// Where the token at hand stands in the input, if it stands there whole.
    token: Option<Range<usize>>,
    /// Whether anything has reached the emulator.
    pub painted: bool,
}

impl<'a> Core<'a> {
    /// Paints `input` on `parser`, as far as it is kept.
    pub fn new(parser: &'a mut vt100::Parser, input: &'a [u8]) -> Self {
        Self {
            parser,
            input,
            run: 0..0,
            token: None,
            painted: false,
        }
    }

    /// Says where the token at hand stands in the input.
    pub fn token(&mut self, range: Option<Range<usize>>) {
        self.token = range;
    }

    /// Passes the token at hand on as it came; `bytes` are its bytes, for when it does not stand whole in the
    /// input. Neighbouring tokens become one call of the emulator.
    pub fn keep(&mut self, bytes: &[u8]) {
        match self.token.take() {
            None => self.put(bytes),
            Some(range) if range.start == self.run.end => self.run.end = range.end,
            Some(range) => {
                self.flush();
                self.run = range;
            }
        }
    }

    /// Passes a control sequence on as it came.
    pub fn keep_csi(&mut self, csi: Csi<'_>) {
        match self.token {
            None => self.put_csi(csi.body),
            Some(_) => self.keep(b""),
        }
    }

    /// Passes on a control sequence that does not stand in the input like this: `body` is what follows `CSI`.
    pub fn put_csi(&mut self, body: &[u8]) {
        self.put(&[b"\x1b[", body].concat());
    }

    /// Passes bytes on that do not stand in the input like this.
    pub fn put(&mut self, bytes: &[u8]) {
        self.flush();
        self.painted |= !bytes.is_empty();
        self.parser.process(bytes);
    }

    /// Hands over what waits.
    pub fn flush(&mut self) {
        if self.run.is_empty() {
            return;
        }
        self.painted = true;
        self.parser.process(&self.input[self.run.clone()]);
        self.run = self.run.end..self.run.end;
    }

    /// Row and column of the cursor, from 0. The column is the number of columns while a wrap is pending.
    pub fn cursor(&mut self) -> (u16, u16) {
        self.screen().cursor_position()
    }

    /// Moves the cursor to `row` and `col`, from 0, on a screen without origin mode.
    pub fn go(&mut self, row: u16, col: u16) {
        self.put(format!("\x1b[{};{}H", u32::from(row) + 1, u32::from(col) + 1).as_bytes());
    }

    /// Moves the cursor to column `col`, from 0.
    pub fn go_col(&mut self, col: u16) {
        self.put(format!("\x1b[{}G", u32::from(col) + 1).as_bytes());
    }

    /// The screen, with all of the input so far on it.
    pub fn screen(&mut self) -> &vt100::Screen {
        self.flush();
        self.parser.screen()
    }
}
