//! Lines whose text does not depend on the window.
//!
//! Most lines of most logs are text with a few attributes. Where such a line is
//! written to a blank row its text can be told from its bytes alone.

use super::row::{Row, TAB};
use super::{Layout, LayoutKind};
use crate::term::compat::columns;

/// Longest line that is looked at, in bytes: a longer one may be cut into several.
const LONGEST: usize = 64 * 1024;

/// Appends the text of a line that was written from the first column of a blank row,
/// and ended by a newline that is not in `line`. False, with nothing appended, if the
/// line may concern other rows than those it fills. `row` is room to work in.
pub fn push_text(line: &[u8], layout: Layout, row: &mut Row, out: &mut String) -> bool {
    let body = match layout.kind {
        LayoutKind::Pipe => Some(line),
        // Without a CR the next line would not begin in the first column.
        LayoutKind::Terminal => line.strip_suffix(b"\r"),
    };
    let Some(body) = body.filter(|body| body.len() < LONGEST) else {
        return false;
    };
    let Ok(text) = std::str::from_utf8(body) else {
        return false;
    };
    if body.iter().fold(true, |all, byte| all & is_printable(byte)) {
        out.push_str(text);
        return true;
    }
    let old = out.len();
    attributed(text, out) || {
        out.truncate(old);
        row.reset();
        let drawn = draw(text, layout, row);
        if drawn {
            row.push_text(out);
        }
        drawn
    }
}

fn is_printable(byte: &u8) -> bool {
    (0x20..0x7f).contains(byte)
}

/// The printable ASCII that `text` begins with, and what follows.
fn ascii(text: &str) -> (&str, &str) {
    let end = text.as_bytes().iter().position(|byte| !is_printable(byte));
    text.split_at(end.unwrap_or(text.len()))
}

/// Appends the text of a line of nothing but text and attributes.
fn attributed(text: &str, out: &mut String) -> bool {
    let mut rest = text;
    loop {
        let (run, after) = ascii(rest);
        out.push_str(run);
        let Some(c) = after.chars().next() else {
            return true;
        };
        let length = match sequence(after.as_bytes()) {
            Some((length, _, b'm')) => length,
            // A control has no width.
            _ if columns(c).is_some_and(|width| width > 0) && c > '~' => {
                out.push(c);
                c.len_utf8()
            }
            _ => return false,
        };
        rest = &after[length..];
    }
}

/// Draws a line that goes back and forth, but stays in its row. False if it may not.
fn draw(text: &str, layout: Layout, row: &mut Row) -> bool {
    let cols = usize::from(layout.size.cols());
    let mut rest = text;
    let mut col = 0_usize;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            ' '..='~' => {
                let (run, _) = ascii(rest);
                if col + run.len() >= cols {
                    return false;
                }
                row.put_ascii(col, run.as_bytes());
                col += run.len();
                length = run.len();
            }
            '\x1b' => match sequence(rest.as_bytes()) {
                Some((sequence, _, b'm')) => length = sequence,
                Some((sequence, how, _)) => {
                    match how {
                        b"" | b"0" => row.erase(col, usize::MAX),
                        b"1" => row.erase(0, col + 1),
                        b"2" => row.erase(0, usize::MAX),
                        _ => return false,
                    }
                    length = sequence;
                }
                None => return false,
            },
            '\r' => col = 0,
            '\x08' => col = col.saturating_sub(1),
            '\x07' => {}
            '\t' => {
                let stop = (col / TAB + 1) * TAB;
                if stop >= cols {
                    return false;
                }
                if !row.occupied(col, stop) {
                    row.put_ascii(col, b"\t");
                }
                col = stop;
            }
            '\0'..='\x1f' | '\x7f' => return false,
            _ => match columns(c).map(usize::from) {
                None => {}
                Some(0) if col > 0 => row.mark(col, c),
                Some(0) => {}
                Some(width) if col + width < cols => {
                    row.put(col, c, width);
                    col += width;
                }
                Some(_) => return false,
            },
        }
        rest = &rest[length..];
    }
    true
}

/// Length, parameters and final byte of the SGR or EL sequence that `bytes` begins with.
fn sequence(bytes: &[u8]) -> Option<(usize, &[u8], u8)> {
    let body = bytes.strip_prefix(b"\x1b[")?;
    let is_parameter = |byte: &u8| matches!(byte, b'0'..=b'9' | b';' | b':');
    let length = body.iter().position(|byte| !is_parameter(byte))?;
    let last = body[length];
    matches!(last, b'm' | b'K').then_some((length + 3, &body[..length], last))
}
