//! A row of the window: its cells, and the origin of its text.

use super::pens::{Pens, push_change};
use crate::term::pen::Pen;

/// Marks the right half of a wide character.
const RIGHT_HALF: u32 = 1;
/// Marks a tab.
const GLYPH_TAB: u32 = 9;
/// Distance of the tab stops to which a tab in a cell moves.
pub const TAB: usize = 8;
/// Maximum number of zero-width characters per cell.
pub const MAX_MARKS: usize = 8;

/// A row of the window. Blank cells at its end are not stored, so its length is the width of the
/// written part.
///
/// Most rows are ASCII; there a byte is a column, and text is copied as a whole. The first other
/// character converts the row to the wider form. In both forms, a cell that was never written or
/// has been erased is 0.
#[derive(Clone, Debug, Default)]
pub struct Row {
    bytes: Vec<u8>,
    /// The cells; `None` if they are in `bytes`.
    wide: Option<Glyphs>,
    /// Attributes of the cells, if they are tracked.
    pub pens: Pens,
    /// Whether the line continues in the next row.
    pub wrapped: bool,
    /// Tabs between the full row and the next one, which continues it.
    pub late_tabs: u8,
    /// Whether the text continues in the next row as another line, because it is too long for one.
    pub cut: bool,
    /// Absolute offset at which the row was begun; `None` if it was not.
    pub start: Option<u64>,
    /// Whether the row lies above the place where rendering was resumed. It then belongs to no
    /// line.
    pub ghost: bool,
    /// Whether the text has changed since touched lines were last taken.
    pub touched: bool,
    /// Whether the text has changed since it was last kept as overwritten.
    pub fresh: bool,
    /// Number of cursor movements at the time of the last write.
    pub written: u64,
}

/// Cells with arbitrary characters.
#[derive(Clone, Debug)]
struct Glyphs {
    glyphs: Vec<u32>,
    /// Zero-width characters with their columns, sorted by column.
    marks: Vec<(usize, char)>,
}

impl Row {
    /// Resets it to an unwritten row, but keeps its memory.
    pub fn reset(&mut self) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        *self = Self {
            bytes,
            ..Self::default()
        };
    }

    /// Number of columns up to the last non-empty cell.
    pub fn len(&self) -> usize {
        match &self.wide {
            None => self.bytes.len(),
            Some(Glyphs { glyphs, .. }) => glyphs.len(),
        }
    }

    /// Whether all cells are empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether any cell of `from..to` is non-empty.
    pub fn occupied(&self, from: usize, to: usize) -> bool {
        let to = to.min(self.len());
        from < to
            && match &self.wide {
                None => self.bytes[from..to].iter().any(|&b| b != 0),
                Some(Glyphs { glyphs, .. }) => glyphs[from..to].iter().any(|&g| g != 0),
            }
    }

    /// Writes printable ASCII from column `col` on.
    pub fn put_ascii(&mut self, col: usize, text: &[u8]) {
        let end = col + text.len();
        match &mut self.wide {
            None => {
                let bytes = &mut self.bytes;
                if col == bytes.len() {
                    return bytes.extend_from_slice(text);
                }
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[col..end].copy_from_slice(text);
            }
            Some(Glyphs { glyphs, .. }) if col == glyphs.len() => {
                glyphs.extend(text.iter().map(|&b| u32::from(b)));
            }
            Some(Glyphs { glyphs, marks }) => {
                open(glyphs, marks, col, end);
                for (cell, &b) in glyphs[col..end].iter_mut().zip(text) {
                    *cell = u32::from(b);
                }
                // A half of a wide character may have been the last cell.
                self.trim();
            }
        }
    }

    /// Writes a character of `width` columns (1 or 2) at column `col`.
    pub fn put(&mut self, col: usize, c: char, width: usize) {
        let (glyphs, marks) = self.glyphs();
        if col == glyphs.len() {
            glyphs.push(u32::from(c));
            if width == 2 {
                glyphs.push(RIGHT_HALF);
            }
            return;
        }
        open(glyphs, marks, col, col + width);
        glyphs[col] = u32::from(c);
        if width == 2 {
            glyphs[col + 1] = RIGHT_HALF;
        }
        self.trim();
    }

    /// Adds a zero-width character to the character that ends before column `col`, or to a space if
    /// that cell is empty.
    pub fn mark(&mut self, col: usize, c: char) {
        let Some(mut base) = col.checked_sub(1) else {
            return;
        };
        let (glyphs, marks) = self.glyphs();
        if glyphs.len() <= base {
            glyphs.resize(base + 1, 0);
        }
        if glyphs[base] == RIGHT_HALF {
            base = base.saturating_sub(1);
        }
        if glyphs[base] == 0 {
            glyphs[base] = u32::from(' ');
        }
        let end = marks.partition_point(|mark| mark.0 <= base);
        if marks[..end]
            .iter()
            .rev()
            .take_while(|mark| mark.0 == base)
            .count()
            < MAX_MARKS
        {
            marks.insert(end, (base, c));
        }
    }

    /// Clears the cells `from..to`.
    pub fn erase(&mut self, from: usize, to: usize) {
        let to = to.min(self.len());
        if from >= to {
            return;
        }
        match &mut self.wide {
            None => self.bytes[from..to].fill(0),
            Some(Glyphs { glyphs, marks }) => open(glyphs, marks, from, to),
        }
        self.pens.erase(from, to);
        self.trim();
    }

    /// Shifts the cells from `col` on by `count` columns to the right. Cells beyond `cols` are
    /// lost.
    pub fn insert(&mut self, col: usize, count: usize, cols: usize) {
        self.wrapped = false;
        self.cut = false;
        if col >= self.len() {
            return;
        }
        let count = count.min(cols.saturating_sub(col));
        self.pens.insert(col, count);
        match &mut self.wide {
            None => {
                let bytes = &mut self.bytes;
                bytes.splice(col..col, std::iter::repeat_n(0, count));
                bytes.truncate(cols);
            }
            Some(Glyphs { glyphs, marks }) => {
                split(glyphs, marks, col);
                glyphs.splice(col..col, std::iter::repeat_n(0, count));
                marks
                    .iter_mut()
                    .filter(|mark| mark.0 >= col)
                    .for_each(|mark| mark.0 += count);
                if glyphs.len() > cols {
                    split(glyphs, marks, cols);
                    glyphs.truncate(cols);
                    marks.retain(|mark| mark.0 < cols);
                }
            }
        }
        self.trim();
    }

    /// Removes `count` cells at `col` and shifts the cells after them to the left.
    pub fn delete(&mut self, col: usize, count: usize) {
        self.wrapped = false;
        self.cut = false;
        let end = col.saturating_add(count).min(self.len());
        if col >= end {
            return;
        }
        self.pens.delete(col, end - col);
        match &mut self.wide {
            None => drop(self.bytes.drain(col..end)),
            Some(Glyphs { glyphs, marks }) => {
                open(glyphs, marks, col, end);
                glyphs.drain(col..end);
                marks
                    .iter_mut()
                    .filter(|mark| mark.0 >= end)
                    .for_each(|mark| mark.0 -= end - col);
            }
        }
        self.trim();
    }

    /// Appends the text of the row. Unwritten cells before others become spaces, or the tab that
    /// moved over them.
    pub fn push_text(&self, out: &mut String) {
        if self.pens.is_empty() {
            self.push_plain(out);
        } else {
            self.push_coloured(out);
        }
        if self.wrapped {
            out.extend(std::iter::repeat_n('\t', usize::from(self.late_tabs)));
        }
    }

    fn push_plain(&self, out: &mut String) {
        match &self.wide {
            None => match std::str::from_utf8(&self.bytes) {
                Ok(text) if !self.bytes.iter().any(|b| matches!(b, 0 | b'\t')) => {
                    out.push_str(text)
                }
                _ => {
                    let mut col = 0;
                    while let Some(&b) = self.bytes.get(col) {
                        match b {
                            b'\t' if self.is_tab(col) => {
                                out.push('\t');
                                col = (col / TAB + 1) * TAB;
                                continue;
                            }
                            0 | b'\t' => out.push(' '),
                            _ => out.push(char::from(b)),
                        }
                        col += 1;
                    }
                }
            },
            Some(Glyphs { glyphs, marks }) => {
                let mut marks = marks.iter().peekable();
                let mut blank_until = 0;
                for (col, &glyph) in glyphs.iter().enumerate() {
                    match glyph {
                        RIGHT_HALF => {}
                        GLYPH_TAB if self.is_tab(col) => {
                            out.push('\t');
                            blank_until = (col / TAB + 1) * TAB;
                        }
                        0 if col < blank_until => {}
                        0 | GLYPH_TAB => out.push(' '),
                        _ => out.push(char::from_u32(glyph).unwrap_or(char::REPLACEMENT_CHARACTER)),
                    }
                    while let Some(mark) = marks.next_if(|mark| mark.0 <= col) {
                        out.push(mark.1);
                    }
                }
            }
        }
    }

    /// As [`push_plain`](Self::push_plain), with colour sequences. Begins and ends without
    /// attributes.
    fn push_coloured(&self, out: &mut String) {
        let mut pen = Pen::default();
        let mut blank_until = 0;
        let mut marks = match &self.wide {
            Some(Glyphs { marks, .. }) => marks.iter(),
            None => [].iter(),
        }
        .peekable();
        for col in 0..self.len() {
            let shown = match self.glyph(col) {
                RIGHT_HALF => None,
                GLYPH_TAB if self.is_tab(col) => {
                    blank_until = (col / TAB + 1) * TAB;
                    Some('\t')
                }
                0 if col < blank_until => None,
                0 | GLYPH_TAB => Some(' '),
                glyph => Some(char::from_u32(glyph).unwrap_or(char::REPLACEMENT_CHARACTER)),
            };
            if let Some(shown) = shown {
                let next = self.pens.at(col);
                if next != pen {
                    push_change(pen, next, out);
                    pen = next;
                }
                out.push(shown);
            }
            while let Some(mark) = marks.next_if(|mark| mark.0 <= col) {
                out.push(mark.1);
            }
        }
        if pen != Pen::default() {
            push_change(pen, Pen::default(), out);
        }
    }

    /// The content of a cell.
    fn glyph(&self, col: usize) -> u32 {
        let glyph = match &self.wide {
            None => self.bytes.get(col).map(|&byte| u32::from(byte)),
            Some(Glyphs { glyphs, .. }) => glyphs.get(col).copied(),
        };
        glyph.unwrap_or(0)
    }

    /// Whether nothing was written between the tab at `col` and its stop.
    fn is_tab(&self, col: usize) -> bool {
        !self.occupied(col + 1, (col / TAB + 1) * TAB)
    }

    /// The cells in the wider form; converts them if necessary.
    fn glyphs(&mut self) -> (&mut Vec<u32>, &mut Vec<(usize, char)>) {
        let bytes = &mut self.bytes;
        let wide = self.wide.get_or_insert_with(|| Glyphs {
            glyphs: bytes.drain(..).map(u32::from).collect(),
            marks: Vec::new(),
        });
        (&mut wide.glyphs, &mut wide.marks)
    }

    fn trim(&mut self) {
        match &mut self.wide {
            None => {
                let end = self
                    .bytes
                    .iter()
                    .rposition(|&b| b != 0)
                    .map_or(0, |at| at + 1);
                self.bytes.truncate(end);
            }
            Some(Glyphs { glyphs, .. }) => {
                glyphs.truncate(glyphs.iter().rposition(|&g| g != 0).map_or(0, |at| at + 1));
            }
        }
    }
}

/// Prepares the cells `from..to` for writing: they exist and are empty, and wide characters that
/// cross an end are erased.
fn open(glyphs: &mut Vec<u32>, marks: &mut Vec<(usize, char)>, from: usize, to: usize) {
    if glyphs.len() < to {
        glyphs.resize(to, 0);
    }
    split(glyphs, marks, from);
    split(glyphs, marks, to);
    glyphs[from..to].fill(0);
    if !marks.is_empty() {
        marks.retain(|mark| !(from..to).contains(&mark.0));
    }
}

/// Erases a wide character that crosses the left edge of column `col`.
fn split(glyphs: &mut [u32], marks: &mut Vec<(usize, char)>, col: usize) {
    if col > 0 && glyphs.get(col) == Some(&RIGHT_HALF) {
        glyphs[col - 1] = 0;
        glyphs[col] = 0;
        marks.retain(|mark| mark.0 != col - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(row: &Row) -> String {
        let mut out = String::new();
        row.push_text(&mut out);
        out
    }

    #[test]
    fn printed_blanks_are_kept_and_empty_cells_at_the_end_are_not() {
        let mut row = Row::default();
        row.put_ascii(2, b"ab  ");
        assert_eq!(text(&row), "  ab  ");
        row.erase(4, 99);
        assert_eq!(text(&row), "  ab");
        row.erase(0, 99);
        assert!(row.is_empty());
    }

    #[test]
    fn wide_characters_are_never_halved() {
        let mut row = Row::default();
        row.put(0, '漢', 2);
        row.put(2, '字', 2);
        row.put_ascii(1, b"xy");
        assert_eq!(text(&row), " xy");
        row.put(0, 'é', 1);
        row.mark(1, '\u{301}');
        row.insert(0, 2, 4);
        assert_eq!(text(&row), "  é\u{301}x");
        row.delete(0, 1);
        assert_eq!(text(&row), " é\u{301}x");
        for _ in 0..99 {
            row.mark(2, '\u{302}');
        }
        assert_eq!(text(&row).chars().count(), 3 + MAX_MARKS);
    }
}
