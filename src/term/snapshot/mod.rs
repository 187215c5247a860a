//! A screen in an output format: text, text with attributes, HTML page, SVG picture, or cells.
//!
//! Rows that have scrolled off can be included above the screen; they come from a second screen
//! that keeps them. Results are bounded whatever the screen contains: a larger one is refused with
//! [`TooLarge`], and building stops at the limit.

mod boxes;
mod cells;
pub mod html;
mod ink;
pub mod links;
mod markup;
pub mod png;
mod svg;

use super::cell::Cell;
use super::screen::Screen;
use crate::protocol::reply::ScreenCell;

/// Maximum size of a result in bytes: as much as a reply can hold.
pub const MAX_BYTES: usize = 4 << 20;

/// Maximum number of cells returned by [`Snapshot::cells`]. As JSON, a cell with every attribute
/// takes about 110 bytes.
pub const MAX_CELLS: usize = 36_000;

/// The result would exceed [`MAX_BYTES`] or [`MAX_CELLS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// A screen, with the rows above it, to be converted.
pub struct Snapshot<'a> {
    screen: &'a Screen,
    above: Option<Screen>,
    /// Number of rows above the screen.
    lines: usize,
}

impl<'a> Snapshot<'a> {
    /// Creates a snapshot of `screen`, with up to `wanted` of the rows above it from the scrollback
    /// of `above`.
    pub fn new(screen: &'a Screen, above: Option<Screen>, wanted: usize) -> Self {
        let there = above.as_ref().map_or(0, Screen::scrollback_len);
        Self {
            screen,
            above,
            lines: there.min(wanted),
        }
    }

    /// Number of rows above the screen.
    pub fn lines_above(&self) -> usize {
        self.lines
    }

    /// The characters without attributes. `trim` cuts blanks at row ends and blank rows at the end.
    pub fn text(&mut self, trim: bool) -> Result<String, TooLarge> {
        let mut text = String::new();
        let mut add = |line: &str| {
            text.push_str(line);
            text.push('\n');
            bounded(text.len())
        };
        if let Some(above) = &mut self.above {
            rows_above(above, self.lines, |screen, _| {
                add(&screen.first_row_text(trim))
            })?;
        }
        for line in self.screen.rows_text(trim) {
            add(&line)?;
        }
        Ok(joined(text, trim))
    }

    /// The characters with their attributes as escape sequences. `trim` cuts blank cells at row
    /// ends and blank rows at the end.
    pub fn ansi(&mut self, trim: bool) -> Result<String, TooLarge> {
        self.lines_of(trim, |screen, row| screen.row_ansi(row, trim))
    }

    /// An HTML page that shows the cursor. For `trim` see [`ansi`](Self::ansi).
    pub fn html(&mut self, title: &str, trim: bool) -> Result<String, TooLarge> {
        let cursor = self.cursor();
        let mut page = html::Page::new(title, trim);
        let mut n = 0;
        self.each(|screen, row| {
            page.row(
                &screen.row(row),
                cursor.filter(|at| at.0 == n).map(|at| at.1),
            );
            n += 1;
            bounded(page.bytes())
        })?;
        Ok(page.finish())
    }

    /// An SVG picture of the whole grid, with the cursor in its shape.
    pub fn svg(&mut self) -> Result<String, TooLarge> {
        let cursor = self.cursor();
        let size = self.screen.size();
        let rows = self.lines + usize::from(size.rows());
        let mut picture = svg::Picture::new(rows, size.cols());
        let mut n = 0;
        self.each(|screen, row| {
            let cursor = cursor.filter(|at| at.0 == n);
            let shape = screen.cursor().shape;
            picture.row(&screen.row(row), cursor.map(|at| (at.1, shape)));
            n += 1;
            bounded(picture.bytes())
        })?;
        Ok(picture.finish())
    }

    /// Every cell of every row, including blank ones.
    pub fn cells(&mut self) -> Result<Vec<Vec<ScreenCell>>, TooLarge> {
        let size = self.screen.size();
        let rows = self.lines + usize::from(size.rows());
        if rows * usize::from(size.cols()) > MAX_CELLS {
            return Err(TooLarge);
        }
        let mut all = Vec::with_capacity(rows);
        self.each(|screen, row| {
            all.push(screen.row(row).iter().map(cells::described).collect());
            Ok(())
        })?;
        Ok(all)
    }

    /// Row, counted from the first row above the screen, and column of the cursor; `None` if it is
    /// hidden.
    fn cursor(&self) -> Option<(usize, u16)> {
        let cursor = self.screen.cursor();
        let row = self.lines + usize::from(cursor.row);
        cursor.visible.then_some((row, cursor.col))
    }

    fn lines_of(
        &mut self,
        trim: bool,
        line: impl Fn(&Screen, u16) -> String,
    ) -> Result<String, TooLarge> {
        let mut text = String::new();
        self.each(|screen, row| {
            text.push_str(&line(screen, row));
            text.push('\n');
            bounded(text.len())
        })?;
        Ok(joined(text, trim))
    }

    /// Visits each row from top to bottom.
    fn each(
        &mut self,
        mut visit: impl FnMut(&Screen, u16) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        if let Some(above) = &mut self.above {
            rows_above(above, self.lines, &mut visit)?;
        }
        for row in 0..self.screen.size().rows() {
            visit(self.screen, row)?;
        }
        Ok(())
    }
}

/// Visits the last `lines` rows of the scrollback, from top to bottom.
pub fn rows_above<E>(
    screen: &mut Screen,
    lines: usize,
    mut visit: impl FnMut(&Screen, u16) -> Result<(), E>,
) -> Result<(), E> {
    // The emulator finds the first row fastest.
    for up in (1..=lines.min(screen.scrollback_len())).rev() {
        screen.scroll_to(up);
        visit(screen, 0)?;
    }
    screen.scroll_to(0);
    Ok(())
}

/// Removes the newline after the last line. `trim` also cuts blank lines at the end.
fn joined(mut lines: String, trim: bool) -> String {
    lines.pop();
    if trim {
        lines.truncate(lines.trim_end_matches('\n').len());
    }
    lines
}

/// The text to show for a cell.
fn shown<'a>(cell: &Cell<'a>) -> &'a str {
    if cell.text.is_empty() { " " } else { cell.text }
}

fn bounded(bytes: usize) -> Result<(), TooLarge> {
    if bytes > MAX_BYTES {
        Err(TooLarge)
    } else {
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
