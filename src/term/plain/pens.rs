//! The attributes of a row's cells, if they are tracked.

use crate::term::pen::Pen;

/// Attributes by column. Cells after the last entry have none.
#[derive(Clone, Debug, Default)]
pub struct Pens(Vec<Pen>);

impl Pens {
    /// Whether no cell has attributes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Attributes of the cell in column `col`.
    pub fn at(&self, col: usize) -> Pen {
        self.0.get(col).copied().unwrap_or_default()
    }

    /// Sets the attributes of cells `from..to` to `pen`.
    pub fn draw(&mut self, from: usize, to: usize, pen: Pen) {
        if pen == Pen::default() {
            return self.erase(from, to);
        }
        if self.0.len() < to {
            self.0.resize(to, Pen::default());
        }
        self.0[from..to].fill(pen);
    }

    /// Clears the attributes of cells `from..to`.
    pub fn erase(&mut self, from: usize, to: usize) {
        let to = to.min(self.0.len());
        if from < to {
            self.0[from..to].fill(Pen::default());
        }
    }

    /// Inserts `count` cells without attributes at `col`.
    pub fn insert(&mut self, col: usize, count: usize) {
        if col < self.0.len() {
            let empty = std::iter::repeat_n(Pen::default(), count);
            self.0.splice(col..col, empty);
        }
    }

    /// Removes `count` cells at `col`.
    pub fn delete(&mut self, col: usize, count: usize) {
        let end = col.saturating_add(count).min(self.0.len());
        if col < end {
            self.0.drain(col..end);
        }
    }
}

/// Appends the sequence that changes one pen into another.
pub fn push_change(from: Pen, to: Pen, out: &mut String) {
    let start = out.len();
    to.push_sgr(out);
    // Without previous attributes, no reset is needed.
    if from == Pen::default() && to != Pen::default() {
        out.replace_range(start..start + "\x1b[0;".len(), "\x1b[");
    }
}
