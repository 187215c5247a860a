//! A screen as somebody asked to see it: text, text with attributes, a page, a picture, or cells.
//!
//! Rows that have scrolled off may stand above it; they come from a second screen that keeps them. Whatever is on
//! the screen, a result is bounded: what would be larger is [`TooLarge`], and nothing is built beyond the bound.

mod boxes;
mod cells;
pub mod html;
mod ink;
mod markup;
mod svg;

use super::cell::Cell;
use super::screen::Screen;
use crate::protocol::reply::ScreenCell;

/// Bytes of a result at most: what a reply has room for.
pub const MAX_BYTES: usize = 4 << 20;

/// Cells of [`Snapshot::cells`] at most: as JSON, one with every attribute has 110
/// bytes or so.
pub const MAX_CELLS: usize = 36_000;

/// It would have more than [`MAX_BYTES`] or [`MAX_CELLS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// What is to be shown.
pub struct Snapshot<'a> {
    screen: &'a Screen,
    above: Option<Screen>,
    /// How many rows stand above the screen.
    lines: usize,
}

impl<'a> Snapshot<'a> {
    /// `screen`, and above it up to `wanted` of the rows that have scrolled off `above`.
    pub fn new(screen: &'a Screen, above: Option<Screen>, wanted: usize) -> Self {
        let there = above.as_ref().map_or(0, Screen::scrollback_len);
        Self {
            screen,
            above,
            lines: there.min(wanted),
        }
    }

    /// How many rows stand above the screen.
    pub fn lines_above(&self) -> usize {
        self.lines
    }

    /// Characters only. `trim` cuts blanks at row ends and blank rows at the end.
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

    /// Characters with their attributes, as escape sequences. `trim` cuts blank cells at row ends and blank rows
    /// at the end.
    pub fn ansi(&mut self, trim: bool) -> Result<String, TooLarge> {
        self.lines_of(trim, |screen, row| screen.row_ansi(row, trim))
    }

    /// A page with the cursor on it. `trim` is as for [`ansi`](Self::ansi).
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

    /// A picture of the whole grid, with the cursor in its shape.
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

    /// Every cell of every row, blank or not.
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

    /// Row from the top of all, and column, of a cursor that is shown.
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

    /// Visits each row from the top down.
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

/// Visits the last `lines` rows that have scrolled off, from the top down.
pub fn rows_above<E>(
    screen: &mut Screen,
    lines: usize,
    mut visit: impl FnMut(&Screen, u16) -> Result<(), E>,
) -> Result<(), E> {
    // The first row is the one that the emulator finds fastest.
    for up in (1..=lines.min(screen.scrollback_len())).rev() {
        screen.scroll_to(up);
        visit(screen, 0)?;
    }
    screen.scroll_to(0);
    Ok(())
}

/// Lines without the newline after the last one; `trim` cuts blank ones at the end.
fn joined(mut lines: String, trim: bool) -> String {
    lines.pop();
    if trim {
        lines.truncate(lines.trim_end_matches('\n').len());
    }
    lines
}

/// What stands in a cell.
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
