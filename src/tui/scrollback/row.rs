//! One painted row: its text, its attributes, and its offset in the log. Trailing blanks are
//! dropped, so that a hundred thousand rows fit into memory.

use unicode_width::UnicodeWidthChar;

use crate::term::screen::{Cell, Screen};

/// Attributes of cells; the text of the cell is empty.
pub type Look = Cell<'static>;

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its text, from the first column.
    pub text: String,
    /// Runs of equal attributes: the first column and the attributes, sorted. Cells before the
    /// first run are plain.
    pub looks: Vec<(u16, Look)>,
    /// Log offset of the line that this row is part of.
    pub offset: u64,
    /// Whether its line continues in the next row.
    pub wraps: bool,
    /// Whether a shell prompt starts in it, or it is the line before a run.
    pub prompt: bool,
    /// Whether the output of a shell's command begins in it.
    pub output: bool,
}

impl Row {
    /// A row of the screen at its current scroll position.
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
            // The right half of a wide character has the attributes of the left half, but does not
            // report them.
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
            // A blank written at the end of a wrapped row is part of the line.
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

    /// A row with a dim text.
    pub fn dim(text: String) -> Self {
        let look = Look {
            dim: true,
            ..Look::default()
        };
        Self {
            text,
            looks: vec![(0, look)],
            ..Self::default()
        }
    }

    /// Whether it has neither text nor attributes.
    pub fn is_blank(&self) -> bool {
        self.text.is_empty() && self.looks.is_empty()
    }

    /// Its characters, each with column and width. Combining characters are part of the character
    /// before.
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

    /// Width of its text in columns.
    pub fn width(&self) -> usize {
        if self.text.is_ascii() {
            self.text.len()
        } else {
            self.cells().map(|(_, width, _)| width).sum()
        }
    }

    /// Byte index in `text` of the character that covers `column`; the length of the text beyond
    /// its end.
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

    /// The column of the character at byte `at`.
    pub fn column_of(&self, at: usize) -> usize {
        let before = &self.text[..at.min(self.text.len())];
        if before.is_ascii() {
            before.len()
        } else {
            before.chars().filter_map(UnicodeWidthChar::width).sum()
        }
    }

    /// The text from column `from` to column `to`, inclusive; includes wide characters that are
    /// partly in the range.
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
        style: cell.style,
        link: None,
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
    fn a_row_ends_with_its_text() {
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
    fn slices_never_split_wide_characters() {
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
