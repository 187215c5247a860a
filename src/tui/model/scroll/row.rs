//! One painted row: its text, how it looks, and where in the log it came from. Blanks at its end are not kept,
//! so that a hundred thousand rows fit into memory.

use unicode_width::UnicodeWidthChar;

use crate::term::screen::{Cell, Screen};

/// How cells look; its text is empty.
pub type Look = Cell<'static>;

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its characters, from the first column on.
    pub text: String,
    /// From which column on cells look how, in order; before the first one they look plain.
    pub looks: Vec<(u16, Look)>,
    /// Offset in the log of the line that began in it, or above it.
    pub offset: u64,
    /// Whether its text goes on in the next row.
    pub wraps: bool,
    /// Whether a shell's prompt begins in it.
    pub prompt: bool,
}

impl Row {
    /// A row of a screen as it is scrolled now.
    pub fn of(screen: &Screen, y: u16) -> Self {
        let wraps = screen.row_wrapped(y);
        let mut row = Self {
            wraps,
            ..Self::default()
        };
        let mut look = Look::default();
        let (mut text_end, mut look_end) = (0, 0);
        for x in 0..screen.row_end(y) {
            let Some(cell) = screen.cell(y, x) else {
                break;
            };
            // The right half of a wide character looks as the left one does, and does not say so.
            let now = if cell.width == 0 { look } else { plain(&cell) };
            if now != look {
                row.looks.push((x, now));
                look = now;
            }
            if !now.is_blank() {
                look_end = row.looks.len() + 1;
            }
            match (cell.width, cell.text) {
                (0, _) => {}
                (_, "") => row.text.push(' '),
                (_, text) => row.text.push_str(text),
            }
            // A blank that was written at the end of a row that goes on is a part of its line.
            if !cell.text.is_empty() && (wraps || cell.text != " ") {
                text_end = row.text.len();
            }
        }
        if look != Look::default() {
            row.looks.push((screen.row_end(y), Look::default()));
        }
        row.text.truncate(text_end);
        row.looks.truncate(look_end);
        row
    }

    /// Whether nothing of it shows.
    pub fn is_blank(&self) -> bool {
        self.text.is_empty() && self.looks.is_empty()
    }

    /// Its characters with the column and width of each: what combines with another is one with it.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, &str)> {
        let (mut rest, mut column) = (self.text.as_str(), 0);
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let more = rest[first.len_utf8()..]
                .find(|c: char| c.width() != Some(0))
                .map_or(rest.len(), |at| at + first.len_utf8());
            let (cell, after) = rest.split_at(more);
            let (at, width) = (column, first.width().unwrap_or(0));
            rest = after;
            column += width;
            Some((at, width, cell))
        })
    }

    /// Columns that its text takes.
    pub fn width(&self) -> usize {
        match self.text.is_ascii() {
            true => self.text.len(),
            false => self.cells().map(|(_, width, _)| width).sum(),
        }
    }

    /// Where the character that covers `column` begins in `text`; its length beyond the end.
    pub fn byte_at(&self, column: usize) -> usize {
        if self.text.is_ascii() {
            return column.min(self.text.len());
        }
        let mut at = 0;
        for (start, width, cell) in self.cells() {
            if column < start + width {
                return at;
            }
            at += cell.len();
        }
        at
    }

    /// The column of the character that begins at byte `at`.
    pub fn column_of(&self, at: usize) -> usize {
        let before = &self.text[..at.min(self.text.len())];
        match before.is_ascii() {
            true => before.len(),
            false => before.chars().filter_map(UnicodeWidthChar::width).sum(),
        }
    }

    /// The text from column `from` up to and with column `to`; a wide character that is touched is in it.
    pub fn slice(&self, from: usize, to: usize) -> &str {
        let start = self.byte_at(from);
        let last = self.byte_at(to);
        let end = match self.text[last..].chars().next() {
            None => last,
            Some(_) => self.byte_at(self.cell_end(to)),
        };
        self.text.get(start..end).unwrap_or_default()
    }

    /// The first column of the character that covers `column`.
    pub fn cell_start(&self, column: usize) -> usize {
        if self.text.is_ascii() || column >= self.width() {
            return column;
        }
        self.column_of(self.byte_at(column))
    }

    /// The column after the character that covers `column`.
    pub fn cell_end(&self, column: usize) -> usize {
        if self.text.is_ascii() {
            return column + 1;
        }
        self.cells()
            .find(|(start, width, _)| column < start + width)
            .map_or(column + 1, |(start, width, _)| start + width)
    }
}

fn plain(cell: &Cell<'_>) -> Look {
    Look {
        text: "",
        width: 0,
        fg: cell.fg,
        bg: cell.bg,
        bold: cell.bold,
        dim: cell.dim,
        italic: cell.italic,
        underline: cell.underline,
        inverse: cell.inverse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::size::Size;

    fn rows(text: &str, cols: u16) -> Vec<Row> {
        let mut screen = Screen::new(Size::new(3, cols));
        screen.feed(text.as_bytes());
        (0..3).map(|y| Row::of(&screen, y)).collect()
    }

    #[test]
    fn a_row_ends_where_its_text_does() {
        let rows = rows("a \x1b[31mred\x1b[m  \r\n\x1b[44m  \x1b[m\r\n", 10);
        assert_eq!(rows[0].text, "a red");
        let columns: Vec<u16> = rows[0].looks.iter().map(|(x, _)| *x).collect();
        assert_eq!(columns, [2, 5]);
        assert_eq!((rows[1].text.as_str(), rows[1].looks.len()), ("", 2));
        assert!(rows[2].is_blank());
    }

    #[test]
    fn a_blank_where_a_line_wraps_is_part_of_it() {
        let rows = rows("one two", 4);
        assert_eq!((rows[0].text.as_str(), rows[0].wraps), ("one ", true));
        assert_eq!((rows[1].text.as_str(), rows[1].wraps), ("two", false));
    }

    #[test]
    fn wide_characters_are_cut_nowhere() {
        let row = &rows("a日本e\u{301}", 10)[0];
        assert_eq!(row.width(), 6);
        assert_eq!(row.slice(2, 2), "日");
        assert_eq!(row.slice(1, 3), "日本");
        assert_eq!(row.slice(5, 9), "e\u{301}");
        assert_eq!((row.cell_start(2), row.cell_end(1)), (1, 3));
        assert_eq!(row.slice(7, 9), "");
        assert_eq!(row.column_of(row.byte_at(4)), 3);
    }
}
