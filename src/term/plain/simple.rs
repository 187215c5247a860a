//! Lines whose text does not depend on the window.
//!
//! Most lines of most logs are text with a few attributes. Where such a line is
//! written to a blank row its text can be told from its bytes alone.

use super::{Checkpoint, Layout, LayoutKind, Plain};
use crate::term::compat::columns;
use crate::term::size::Size;

/// Longest line that is looked at, in bytes: a longer one may be cut into several.
const LONGEST: usize = 64 * 1024;

/// Appends the text of a line that was written from the first column of a blank row,
/// and ended by a newline that is not in `line`. False, with nothing appended, if the
/// line may concern other rows than those it fills.
pub fn push_text(line: &[u8], layout: Layout, out: &mut String) -> bool {
    let body = match layout.kind {
        LayoutKind::Pipe => Some(line),
        // Without a CR the next line would not begin in the first column.
        LayoutKind::Terminal => line.strip_suffix(b"\r"),
    };
    let Some(body) = body.filter(|body| body.len() < LONGEST) else {
        return false;
    };
    let printable = |plain, byte: &u8| plain & (0x20..0x7f).contains(byte);
    let Ok(text) = std::str::from_utf8(body) else {
        return false;
    };
    if body.iter().fold(true, printable) {
        out.push_str(text);
        return true;
    }
    let old = out.len();
    match attributed(text, layout, out) {
        Shape::Text => return true,
        Shape::OneRow => {
            out.truncate(old);
            one_row(line, layout, out);
            return true;
        }
        Shape::Other => out.truncate(old),
    }
    false
}

/// What a line is made of.
enum Shape {
    /// Text and attributes, which has been appended.
    Text,
    /// It goes back and forth, but does not leave its row.
    OneRow,
    Other,
}

/// Appends the text of a line of nothing but text and attributes.
fn attributed(text: &str, layout: Layout, out: &mut String) -> Shape {
    let mut shape = Shape::Text;
    let mut rest = text;
    // Never less than the cursor's column.
    let mut edge = 0;
    while let Some(c) = rest.chars().next() {
        match c {
            ' '..='~' => {
                let printable = |byte: &u8| (0x20..0x7f).contains(byte);
                let bytes = rest.as_bytes();
                let end = bytes.iter().position(|byte| !printable(byte));
                let (run, after) = rest.split_at(end.unwrap_or(rest.len()));
                out.push_str(run);
                edge += run.len();
                rest = after;
                continue;
            }
            '\x1b' => {
                let length = match sequence(rest.as_bytes()) {
                    Some((length, b'm')) => length,
                    Some((length, _)) => {
                        shape = Shape::OneRow;
                        length
                    }
                    None => return Shape::Other,
                };
                rest = &rest[length..];
                continue;
            }
            '\r' | '\x08' | '\x07' => shape = Shape::OneRow,
            '\t' => {
                shape = Shape::OneRow;
                edge += 8;
            }
            '\0'..='\x1f' | '\x7f' => return Shape::Other,
            _ => match columns(c) {
                Some(width @ 1..) => {
                    out.push(c);
                    edge += usize::from(width);
                }
                _ => shape = Shape::OneRow,
            },
        }
        rest = &rest[c.len_utf8()..];
    }
    match shape {
        Shape::OneRow if edge >= usize::from(layout.size.cols()) => Shape::Other,
        shape => shape,
    }
}

/// Length and final byte of the SGR or EL sequence that `bytes` begins with.
fn sequence(bytes: &[u8]) -> Option<(usize, u8)> {
    let parameters = bytes.strip_prefix(b"\x1b[")?;
    let is_parameter = |byte: &u8| matches!(byte, b'0'..=b'9' | b';' | b':');
    let length = parameters.iter().position(|byte| !is_parameter(byte))?;
    let last = parameters[length];
    matches!(last, b'm' | b'K').then_some((length + 3, last))
}

/// Appends the text of a line that does not leave its row.
fn one_row(line: &[u8], layout: Layout, out: &mut String) {
    let layout = Layout {
        size: Size::new(2, layout.size.cols()),
        ..layout
    };
    let mut plain = Plain::resume(layout, Checkpoint::at(0));
    plain.set_track_touched(false);
    plain.feed(line);
    for line in plain.live() {
        out.push_str(&line.text);
    }
}
