//! Abridges output that repaints the same rows again and again with cursor addressing.
//!
//! A full-screen program moves to a row, erases it, writes it, and does the same again a moment
//! later. Of many frames only the last can be seen. [`abridge`] follows the cursor without
//! painting, and keeps for each row the visits of the cursor that are still visible. A visit that
//! was completely erased or overwritten later is dropped. Painting the remaining visits in order
//! gives the same screen, cursor, attributes and modes. The pass stops at anything that it cannot
//! follow: output that scrolls, wraps, asks a query, rings the bell or changes another mode must be
//! painted.

mod row;

use self::row::{Row, Visit};
use super::compat::columns;
use super::control::charset::{self, CharsetChange};
use super::control::mode::Mode;
use super::control::{Erase, Function};
use super::pen::Pen;
use super::scan::ascii_len;
use super::size::Size;

/// Maximum length of a control sequence that can be followed, in bytes. The emulator reads at most
/// 32 parameters.
const MAX_SEQUENCE: usize = 34;

/// State of a screen with no incomplete sequence and all special modes off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// Size of the screen.
    pub size: Size,
    /// Row of the cursor.
    pub row: u16,
    /// Column of the cursor; equal to the number of columns while a wrap is pending.
    pub col: u16,
    /// Attributes of the next character.
    pub pen: Pen,
    /// For each row, whether it contains only ASCII.
    pub ascii: Vec<bool>,
}

/// The abridged form of some output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abridged {
    /// Number of bytes that it replaces, from the first. No sequence is incomplete at their end.
    pub taken: usize,
    /// The bytes to paint instead.
    pub bytes: Vec<u8>,
    /// Offsets in the replaced bytes at which no sequence is incomplete.
    pub places: Vec<usize>,
}

/// Abridges the beginning of `bytes`. A place is recorded about `every` so many bytes.
pub fn abridge(bytes: &[u8], from: &Start, every: usize) -> Abridged {
    let mut pass = Pass::new(bytes, from);
    let mut places = Vec::new();
    let mut next = every;
    while pass.step().is_some() {
        if pass.at >= next {
            places.push(pass.at);
            next = pass.at + every;
        }
    }
    Abridged {
        taken: pass.at,
        bytes: pass.painted(),
        places,
    }
}

struct Pass<'a> {
    bytes: &'a [u8],
    at: usize,
    rows: Vec<Row>,
    cols: u16,
    row: u16,
    col: u16,
    pen: Pen,
    visit: Visit,
    /// The highest row that the cursor has reached.
    top: u16,
    /// The last sequence that showed or hid the cursor.
    cursor: Option<&'a [u8]>,
    /// The last sequence that began or ended a synchronized update.
    update: Option<&'a [u8]>,
}

impl<'a> Pass<'a> {
    fn new(bytes: &'a [u8], from: &Start) -> Self {
        let row = |n| Row {
            ascii: from.ascii.get(n).copied().unwrap_or(false),
            ..Row::default()
        };
        Self {
            bytes,
            at: 0,
            rows: (0..usize::from(from.size.rows())).map(row).collect(),
            cols: from.size.cols(),
            row: from.row,
            col: from.col,
            pen: from.pen,
            visit: Visit::new(0, from.col, from.pen),
            top: from.row,
            cursor: None,
            update: None,
        }
    }

    /// Processes the next token; `None` if the pass must stop before it.
    fn step(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let length = match *rest.first()? {
            0x20..=0x7e => {
                let length = ascii_len(&rest[..rest.len().min(usize::from(self.cols) + 1)]);
                self.write(u16::try_from(length).ok()?)?;
                length
            }
            0x80.. => self.character(rest)?,
            _ => {
                let (function, length) = Function::first(rest)?;
                (length <= MAX_SEQUENCE).then_some(())?;
                self.function(function, &rest[..length])?;
                length
            }
        };
        self.at += length;
        self.visit.end = self.at;
        Some(())
    }

    /// Writes text of `width` columns; `None` if it would wrap.
    fn write(&mut self, width: u16) -> Option<()> {
        let col = self
            .col
            .checked_add(width)
            .filter(|&col| col <= self.cols)?;
        self.col = col;
        self.visit.wrote |= col > 0;
        self.visit.to = self.visit.to.max(col);
        Some(())
    }

    fn character(&mut self, rest: &[u8]) -> Option<usize> {
        if self.visit.col >= self.cols {
            return None;
        }
        let near = &rest[..rest.len().min(4)];
        let text = match std::str::from_utf8(near) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&near[..error.valid_up_to()]).ok()?,
        };
        let c = text.chars().next()?;
        self.visit.ascii = false;
        self.write(columns(c)?)?;
        Some(c.len_utf8())
    }

    /// Follows a control function; `None` if it must be painted.
    fn function(&mut self, function: Function<'_>, sequence: &'a [u8]) -> Option<()> {
        use Function::*;
        let next = self.at + sequence.len();
        let (row, col) = (self.row, self.settled());
        match function {
            CarriageReturn => self.jump(next, row, 0)?,
            LineFeed if row < self.last_row() => self.jump(next, row + 1, col)?,
            Backspace => self.jump(next, row, col.saturating_sub(1))?,
            Sgr(params) => self.pen.apply(params),
            CursorPosition(row, col) => self.jump(next, row, col)?,
            CursorColumn(col) => self.jump(next, row, col)?,
            CursorUp(count) => self.jump(next, row.saturating_sub(count), col)?,
            CursorDown(count) => self.jump(next, row.saturating_add(count), col)?,
            CursorRight(count) => self.jump(next, row, col.saturating_add(count))?,
            CursorLeft(count) => self.jump(next, row, col.saturating_sub(count))?,
            // Both select the character set that is already active.
            Charset(
                CharsetChange::Lock(0) | CharsetChange::Designate(0, charset::Charset::Ascii),
            ) => {}
            SetModes(modes, _) => {
                for (_, mode) in modes.iter() {
                    match mode {
                        Mode::ShowCursor => self.cursor = Some(sequence),
                        Mode::SynchronizedUpdate if modes.iter().count() == 1 => {
                            self.update = Some(sequence);
                        }
                        // It has no effect here.
                        Mode::BlinkingCursor => {}
                        _ => return None,
                    }
                }
            }
            // The emulator and the plain renderer treat a pending wrap differently here.
            _ if self.col >= self.cols => return None,
            Tab => {
                self.visit.other = true;
                self.col = ((self.col / 8 + 1) * 8).min(self.cols - 1);
            }
            CursorRow(row) => self.jump(next, row, col)?,
            EraseInLine(what) => self.erase(what)?,
            EraseInDisplay(what) => self.erase_rows(what)?,
            EraseCharacters(_) | DeleteCharacters(_) | InsertCharacters(_) => {
                self.visit.other = true
            }
            _ => return None,
        }
        Some(())
    }

    /// Erases a part of the current row.
    fn erase(&mut self, what: Erase) -> Option<()> {
        match what {
            Erase::ToEnd if self.col == 0 => self.restart(),
            Erase::ToEnd if self.col <= self.visit.to => {
                self.visit.to = self.cols;
                self.visit.erased = true;
            }
            Erase::ToEnd | Erase::ToCursor => self.visit.other = true,
            Erase::All => self.restart(),
            Erase::Scrollback | Erase::Unknown => return None,
        }
        Some(())
    }

    /// Erases the rows above or below, and a part of the current row.
    fn erase_rows(&mut self, what: Erase) -> Option<()> {
        let own = usize::from(self.row);
        let rows = match what {
            Erase::ToEnd => own + 1..self.rows.len(),
            Erase::ToCursor => 0..own,
            Erase::All => 0..self.rows.len(),
            Erase::Scrollback | Erase::Unknown => return None,
        };
        for n in rows.filter(|&n| n != own) {
            let row = &mut self.rows[n];
            row.forget();
            row.erased = Some((self.at, self.pen));
            row.ascii = true;
        }
        self.erase(what)
    }

    /// The whole row is erased, so earlier visits are no longer visible.
    fn restart(&mut self) {
        let row = &mut self.rows[usize::from(self.row)];
        row.forget();
        row.written |= self.visit.wrote;
        row.ascii = true;
        self.visit = Visit {
            from: 0,
            to: self.cols,
            erased: true,
            ..Visit::new(self.at, self.col, self.pen)
        };
    }

    /// Moves the cursor by a sequence that ends at `next`.
    fn jump(&mut self, next: usize, row: u16, col: u16) -> Option<()> {
        self.rows[usize::from(self.row)].keep(self.visit)?;
        self.row = row.min(self.last_row());
        self.col = col.min(self.cols - 1);
        self.top = self.top.min(self.row);
        self.visit = Visit::new(next, self.col, self.pen);
        Some(())
    }

    /// The visible visits, in the order in which they occurred.
    fn painted(&self) -> Vec<u8> {
        let last = &self.visit;
        if last.col >= self.cols {
            // If the first visit began with a pending wrap, only attributes can have followed.
            return self.bytes[..self.at].to_vec();
        }
        let mut out = Vec::new();
        let go = |row: usize, col: u16| format!("\x1b[{};{}H", row + 1, u32::from(col) + 1);
        // The plain renderer must know how far up the cursor was, and which rows contained text.
        out.extend_from_slice(go(usize::from(self.top), 0).as_bytes());
        let mut parts = Vec::new();
        for (n, row) in self.rows.iter().enumerate() {
            if row.written {
                out.extend_from_slice(go(n, 0).as_bytes());
                out.push(b' ');
            }
            if let Some((at, pen)) = row.erased {
                parts.push((at, n, 0, pen, &b"\x1b[2K"[..]));
            }
            for visit in &row.visits {
                let bytes = &self.bytes[visit.start..visit.end];
                parts.push((visit.start, n, visit.col, visit.pen, bytes));
            }
        }
        parts.sort_by_key(|part| part.0);
        let bytes = &self.bytes[last.start..self.at];
        parts.push((last.start, usize::from(self.row), last.col, last.pen, bytes));
        let end = parts.len() - 1;
        for (n, (_, row, col, pen, bytes)) in parts.into_iter().enumerate() {
            if n == end {
                out.extend_from_slice(self.cursor.unwrap_or_default());
                out.extend_from_slice(self.update.unwrap_or_default());
            }
            let mut begin = go(row, col);
            pen.push_sgr(&mut begin);
            out.extend_from_slice(begin.as_bytes());
            out.extend_from_slice(bytes);
        }
        out
    }

    fn settled(&self) -> u16 {
        self.col.min(self.cols - 1)
    }

    fn last_row(&self) -> u16 {
        u16::try_from(self.rows.len()).unwrap_or(u16::MAX) - 1
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
