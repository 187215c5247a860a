//! The selection in a text, and the text to copy.

use super::place::Place;
use super::text::Text;

/// The shape of a selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All characters between the two ends.
    Text,
    /// Whole lines, including their wrapped rows.
    Lines,
    /// A rectangular block.
    Block,
}

/// A selection; one end is the anchor, the other is the cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection {
    /// The place where it started.
    pub anchor: Place,
    /// Its shape.
    pub shape: Shape,
}

impl Selection {
    /// First and last row.
    pub fn rows(&self, text: &Text, cursor: Place) -> (usize, usize) {
        let (from, to) = (self.anchor.min(cursor), self.anchor.max(cursor));
        match self.shape {
            Shape::Lines => (text.line_of(from.row).0, text.line_of(to.row).1),
            Shape::Text | Shape::Block => (from.row, to.row),
        }
    }

    /// The selected column range of a row, end exclusive; `usize::MAX` means up to the end of the
    /// row.
    pub fn columns(&self, text: &Text, cursor: Place, row: usize) -> Option<(usize, usize)> {
        let (first, last) = self.rows(text, cursor);
        if !(first..=last).contains(&row) {
            return None;
        }
        let here = text.rows.get(row)?;
        let (from, to) = (self.anchor.min(cursor), self.anchor.max(cursor));
        match self.shape {
            Shape::Lines => Some((0, usize::MAX)),
            Shape::Block => {
                let left = self.anchor.col.min(cursor.col);
                let right = self.anchor.col.max(cursor.col);
                Some((here.cell_start(left), here.cell_end(right)))
            }
            Shape::Text => {
                let start = if row == from.row { from.col } else { 0 };
                let end = if row == to.row {
                    here.cell_end(to.col)
                } else {
                    usize::MAX
                };
                Some((here.cell_start(start), end))
            }
        }
    }

    /// The text to copy: wrapped rows are joined, trailing blanks are dropped. `shows` tells which
    /// rows are visible.
    pub fn text(&self, text: &Text, cursor: Place, shows: impl Fn(usize) -> bool) -> String {
        let (first, last) = self.rows(text, cursor);
        let mut out = String::new();
        for row in (first..=last).filter(|&row| shows(row)) {
            let Some((from, to)) = self.columns(text, cursor, row) else {
                continue;
            };
            let here = &text.rows[row];
            if to > 0 {
                out.push_str(here.slice(from, to - 1));
            }
            let joins = here.wraps && self.shape != Shape::Block;
            if row < last && !joins {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::Part;
    use super::*;
    use crate::term::size::Size;

    fn copied(shape: Shape, from: (usize, usize), to: (usize, usize)) -> String {
        let mut text = Text::new(Size::new(6, 8), false);
        let bytes = "one  \r\nabcdefghijkl\r\n日本語 x\r\n\r\nend\r\n";
        text.receive(Part::First, bytes.as_bytes(), 0);
        let place = |(row, col)| Place { row, col };
        let selection = Selection {
            anchor: place(from),
            shape,
        };
        selection.text(&text, place(to), |_| true)
    }

    #[test]
    fn joins_wrapped_rows_and_drops_trailing_blanks() {
        assert_eq!(
            copied(Shape::Text, (0, 0), (2, 9)),
            "one\nabcdefghijkl",
            "rows 1 and 2 are one line"
        );
        assert_eq!(copied(Shape::Text, (2, 1), (1, 6)), "ghij");
        assert_eq!(copied(Shape::Text, (0, 1), (0, 1)), "n");
    }

    #[test]
    fn line_selections_contain_whole_lines() {
        assert_eq!(copied(Shape::Lines, (2, 1), (2, 1)), "abcdefghijkl");
        assert_eq!(copied(Shape::Lines, (3, 1), (5, 1)), "日本語 x\n\nend");
    }

    #[test]
    fn copies_wide_characters_whole() {
        assert_eq!(copied(Shape::Text, (3, 1), (3, 2)), "日本");
        assert_eq!(copied(Shape::Block, (3, 3), (5, 4)), "本語\n\n");
    }

    #[test]
    fn a_block_joins_nothing() {
        assert_eq!(copied(Shape::Block, (1, 1), (2, 2)), "bc\njk");
    }
}
