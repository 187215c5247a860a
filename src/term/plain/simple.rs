//! Lines whose text does not depend on the window.
//!
//! Most lines of most logs are text with a few attributes. If such a line is written to a blank
//! row, its text follows from its bytes alone.

use super::row::{MAX_MARKS, Row, TAB};
use super::{Layout, LayoutKind};
use crate::term::compat::columns;
use crate::term::control::{Erase, Function};
use crate::term::scan::ascii_len;

/// Maximum length of a line that is processed here, in bytes. A longer one may be cut into several
/// lines.
const LONGEST: usize = 64 * 1024;

/// Appends the text of a line that was written from the first column of a blank row. The newline
/// that ended it is not part of `line`. Returns false and appends nothing if the line may affect
/// other rows than those that it fills. `row` is a scratch buffer.
pub fn push_text(line: &str, layout: Layout, row: &mut Row, out: &mut String) -> bool {
    push_attributed(line, layout, out)
        || push(line, layout, out, |body, out| {
            row.reset();
            draw(body, layout, row, out)
        })
}

/// [`push_text`] for lines that consist only of text and attributes, so that nothing is overwritten.
pub fn push_attributed(line: &str, layout: Layout, out: &mut String) -> bool {
    push(line, layout, out, attributed)
}

/// Appends the result of `append` for a line. Appends nothing if it returns false or the line is
/// unsuitable.
fn push(
    line: &str,
    layout: Layout,
    out: &mut String,
    append: impl FnOnce(&str, &mut String) -> bool,
) -> bool {
    let old = out.len();
    let done = body(line, layout).is_some_and(|body| append(body, out));
    if !done {
        out.truncate(old);
    }
    done
}

/// The line without the bytes that end it; `None` if it must be drawn.
fn body(line: &str, layout: Layout) -> Option<&str> {
    let body = match layout.kind {
        LayoutKind::Pipe => Some(line),
        // Without a CR, the next line would not begin in the first column.
        LayoutKind::Terminal => line.strip_suffix('\r'),
    };
    body.filter(|body| body.len() < LONGEST)
}

/// Splits `text` after its leading printable ASCII.
fn ascii(text: &str) -> (&str, &str) {
    text.split_at(ascii_len(text.as_bytes()))
}

/// Appends the text of a line that consists only of text and attributes.
fn attributed(text: &str, out: &mut String) -> bool {
    let mut rest = text;
    // Before anything is printed, a zero-width character has no base and is dropped.
    let mut marks = MAX_MARKS;
    loop {
        let (run, after) = ascii(rest);
        if !run.is_empty() {
            out.push_str(run);
            marks = 0;
        }
        let Some(c) = after.chars().next() else {
            return true;
        };
        if c.is_ascii_control() {
            let Some((_, length)) = Function::first_sgr(after.as_bytes()) else {
                return false;
            };
            rest = &after[length..];
            continue;
        }
        match columns(c) {
            None => {}
            Some(0) if marks == MAX_MARKS => {}
            Some(0) => {
                out.push(c);
                marks += 1;
            }
            Some(_) => {
                out.push(c);
                marks = 0;
            }
        }
        rest = &after[c.len_utf8()..];
    }
}

/// Appends the text of a line in which the cursor moves, but never back to a row that it has left.
/// Returns false if it may do so; the appended text is then invalid.
fn draw(text: &str, layout: Layout, row: &mut Row, out: &mut String) -> bool {
    let begin = out.len();
    let mut pen = Pen {
        row,
        col: 0,
        cols: usize::from(layout.size.cols()),
    };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let width = columns(c).map(usize::from);
        if c >= ' ' && width.is_some_and(|width| width > 0 && pen.col + width > pen.cols) {
            if layout.kind == LayoutKind::Pipe {
                return false;
            }
            pen.row.push_text(out);
            // On the window, the line would then begin in the next row.
            if out.len() == begin {
                return false;
            }
            pen.row.reset();
            pen.col = 0;
        }
        let length = match c {
            ' '..='~' => pen.ascii(rest),
            '\0'..='\x1f' | '\x7f' => match pen.control(rest) {
                Some(length) => length,
                None => return false,
            },
            _ => {
                pen.character(c, width);
                c.len_utf8()
            }
        };
        // In a pipe, printing moves the cursor beyond the width of the window, but cursor movements
        // do not.
        if pen.col >= pen.cols && layout.kind == LayoutKind::Pipe {
            return false;
        }
        rest = &rest[length..];
    }
    pen.row.push_text(out);
    true
}

/// A cursor in a row.
struct Pen<'a> {
    row: &'a mut Row,
    /// Its column; `cols` while a wrap is pending.
    col: usize,
    cols: usize,
}

impl Pen<'_> {
    /// Draws the printable ASCII at the beginning of `text` as far as the row goes. Returns its length.
    fn ascii(&mut self, text: &str) -> usize {
        let (run, _) = ascii(text);
        let length = run.len().min(self.cols - self.col);
        self.row.put_ascii(self.col, &run.as_bytes()[..length]);
        self.col += length;
        length
    }

    /// Draws a character of `width` columns that is not ASCII.
    fn character(&mut self, c: char, width: Option<usize>) {
        match width {
            None => {}
            Some(0) if self.col > 0 => self.row.mark(self.col, c),
            Some(0) => {}
            Some(width) => {
                self.row.put(self.col, c, width);
                self.col += width;
            }
        }
    }

    /// Follows the control sequence at the beginning of `text`. Returns its length; `None` if it may affect other rows.
    fn control(&mut self, text: &str) -> Option<usize> {
        let (function, length) = Function::first(text.as_bytes())?;
        match function {
            Function::Sgr(_) | Function::Bell => {}
            Function::EraseInLine(what) if self.col < self.cols => match what {
                Erase::ToEnd => self.row.erase(self.col, usize::MAX),
                Erase::ToCursor => self.row.erase(0, self.col + 1),
                Erase::All => self.row.erase(0, usize::MAX),
                Erase::Scrollback | Erase::Unknown => {}
            },
            Function::CarriageReturn => self.col = 0,
            Function::Backspace => self.col = self.col.min(self.cols - 1).saturating_sub(1),
            Function::Tab => {
                let stop = (self.col / TAB + 1) * TAB;
                if stop >= self.cols {
                    return None;
                }
                if !self.row.occupied(self.col, stop) {
                    self.row.put_ascii(self.col, b"\t");
                }
                self.col = stop;
            }
            _ => return None,
        }
        Some(length)
    }
}
