//! The cells of a row that have to be written.

use std::ops::Range;

use ratatui::buffer::Cell;

use super::canvas::Canvas;
use crate::tui::text;

/// The columns to write in a part of a row, so that a terminal that shows `before` shows `after`. Both have the same
/// size, and no wide character that is only half in the part.
///
/// To write over half of a wide character erases its other half, with attributes on which terminals do not agree.
/// So that column is written too.
pub(super) fn columns<'a>(
    before: &'a Canvas,
    after: &'a Canvas,
    row: u16,
    part: Range<u16>,
) -> impl Iterator<Item = u16> {
    let Range { start, end: stop } = part;
    let cell = move |canvas: &'a Canvas, x: u16| &canvas.buffer.content[canvas.index(x, row)];
    // The next column of each, and the end of what was torn.
    let (mut x, mut old, mut torn) = (start, start, start);
    std::iter::from_fn(move || {
        while x < stop {
            let (at, index) = (x, after.index(x, row));
            let next = cell(after, at);
            x = stop.min(at + columns_of(next));
            let is_same =
                at >= torn && next == cell(before, at) && before.link(index) == after.link(index);
            while old < x {
                let end = old + columns_of(cell(before, old));
                if !is_same && end > at {
                    torn = torn.max(end);
                }
                old = end;
            }
            if !is_same {
                return Some(at);
            }
        }
        None
    })
}

/// The columns that a cell takes.
pub(super) fn columns_of(cell: &Cell) -> u16 {
    match cell.symbol() {
        symbol if symbol.len() == 1 => 1,
        symbol => u16::try_from(text::width(symbol)).unwrap_or(1).max(1),
    }
}
