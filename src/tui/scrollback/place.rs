//! A place in a text, and word boundaries.

use super::text::Text;

/// Row and column, both from 0. The row is counted from the top of the loaded stretch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// The row.
    pub row: usize,
    /// The column.
    pub col: usize,
}

/// The class of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Word,
    Sign,
}

fn kind(cell: &str) -> Kind {
    match cell.chars().next() {
        Some(c) if c.is_alphanumeric() || c == '_' => Kind::Word,
        Some(c) if !c.is_whitespace() => Kind::Sign,
        _ => Kind::Blank,
    }
}

/// Columns in a row where words start, as defined by vi.
fn word_starts(text: &Text, row: usize) -> Vec<usize> {
    let Some(here) = text.rows.get(row) else {
        return Vec::new();
    };
    // A word that continues from the row above does not start here.
    let above = row.checked_sub(1).and_then(|above| text.rows.get(above));
    let mut before = above
        .filter(|above| above.wraps)
        .and_then(|above| above.cells().last().map(|(_, _, cell)| kind(cell)))
        .unwrap_or(Kind::Blank);
    let mut starts = Vec::new();
    for (column, _, cell) in here.cells() {
        let now = kind(cell);
        if now != Kind::Blank && now != before {
            starts.push(column);
        }
        before = now;
    }
    starts
}

/// The column of the next word in the row.
pub fn next_word(text: &Text, at: Place) -> Option<usize> {
    word_starts(text, at.row).into_iter().find(|&c| c > at.col)
}

/// The column of the previous word in the row.
pub fn previous_word(text: &Text, at: Place) -> Option<usize> {
    let starts = word_starts(text, at.row);
    starts.into_iter().rev().find(|&c| c < at.col)
}

/// First and last place of the word that a double click selects. It ends at whitespace, quotes and
/// brackets, so that paths and URLs are selected whole.
pub fn word_around(text: &Text, at: Place) -> (Place, Place) {
    let is_end =
        |cell: &str| cell.starts_with(|c: char| c.is_whitespace() || "\"'`()[]{}<>|│".contains(c));
    let (first, last) = text.line_of(at.row);
    let cells: Vec<(Place, usize, bool)> = (first..=last)
        .filter_map(|row| Some((row, text.rows.get(row)?)))
        .flat_map(|(row, here)| {
            here.cells()
                .map(move |(col, width, cell)| (Place { row, col }, width, is_end(cell)))
        })
        .collect();
    let here = cells
        .iter()
        .position(|(place, width, _)| place.row == at.row && at.col < place.col + width);
    let Some(here) = here.filter(|&here| !cells[here].2) else {
        return (at, at);
    };
    let start = cells[..here].iter().rposition(|(.., end)| *end);
    let end = cells[here..].iter().position(|(.., end)| *end);
    let from = cells[start.map_or(0, |at| at + 1)].0;
    let to = cells[end.map_or(cells.len(), |at| here + at) - 1].0;
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::super::Part;
    use super::*;
    use crate::term::size::Size;

    fn text(cols: u16, bytes: &str) -> Text {
        let mut text = Text::new(Size::new(5, cols), false);
        text.receive(Part::First, bytes.as_bytes(), 0);
        text
    }

    #[test]
    fn words_start_where_vi_has_them() {
        let text = text(40, "GET /api/cart  日本 500\r\n");
        assert_eq!(word_starts(&text, 0), [0, 4, 5, 8, 9, 15, 20]);
        let at = Place { row: 0, col: 9 };
        assert_eq!(next_word(&text, at), Some(15));
        assert_eq!(previous_word(&text, at), Some(8));
    }

    #[test]
    fn a_double_click_selects_a_wrapped_path() {
        let text = text(8, "at (src/cart.ts:41)\r\n");
        let (from, to) = word_around(&text, Place { row: 1, col: 2 });
        assert_eq!((from.row, from.col), (0, 4));
        assert_eq!((to.row, to.col), (2, 1));
        let blank = Place { row: 0, col: 2 };
        assert_eq!(word_around(&text, blank), (blank, blank));
    }
}
