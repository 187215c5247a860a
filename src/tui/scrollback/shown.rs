//! Which rows are shown (all, or only those of matching lines) and which of them are in the
//! viewport.

use super::Scroll;

impl Scroll {
    /// Height of the viewport in rows.
    pub fn height(&self) -> usize {
        usize::from(self.display.pane.rows())
    }

    /// Rows in the viewport, from the top.
    pub fn view(&self) -> impl Iterator<Item = usize> {
        let from = self.index(self.top);
        (from..self.count())
            .take(self.height())
            .map(|at| self.nth(at))
    }

    /// Whether the row is shown.
    pub fn shows(&self, row: usize) -> bool {
        match &self.only {
            Some(only) => only.binary_search(&row).is_ok(),
            None => true,
        }
    }

    /// Whether only matching lines are shown.
    pub fn is_filtered(&self) -> bool {
        self.only.is_some()
    }

    /// Whether the viewport is at the end of the loaded stretch.
    pub fn is_at_end(&self) -> bool {
        self.index(self.top) >= self.index(self.max_top())
    }

    /// Toggles between matching lines only and all lines.
    pub fn filter(&mut self) {
        let at_line = self.text.line_of(self.cursor.row).0;
        self.only = match self.only {
            None => Some(Vec::new()),
            Some(_) => None,
        };
        self.look_again();
        let row = if self.shows(self.cursor.row) {
            self.cursor.row
        } else {
            self.nth(self.index(at_line).min(self.count().saturating_sub(1)))
        };
        self.cursor.row = row;
        self.top = self.nth(self.index(row).saturating_sub(self.height() / 2));
        self.top = self.top.min(self.max_top());
        self.keep_column();
    }

    /// Shows all lines again if this row is not one of a matching line.
    pub(super) fn show_all_for(&mut self, row: usize) {
        if !self.shows(row) {
            self.only = None;
        }
    }

    /// Updates the matches and the set of shown rows.
    pub(super) fn look_again(&mut self) {
        if let Some(search) = &mut self.search {
            search.look_through(&self.text);
        }
        if self.only.is_some() {
            let found = self.search.iter().flat_map(|search| &search.found);
            let mut rows: Vec<usize> = Vec::new();
            for found in found {
                // A line with several matches is added only once.
                if rows.last().is_none_or(|&last| last < found.start.row) {
                    let (first, last) = self.text.line_of(found.start.row);
                    rows.extend(first..=last);
                }
            }
            self.only = Some(rows);
        }
    }

    /// Number of shown rows.
    pub(super) fn count(&self) -> usize {
        match &self.only {
            Some(only) => only.len(),
            None => self.text.rows.len(),
        }
    }

    /// The row at an index among the shown rows.
    pub(super) fn nth(&self, at: usize) -> usize {
        match &self.only {
            Some(only) => only.get(at).or(only.last()).copied().unwrap_or(0),
            None => at.min(self.text.rows.len().saturating_sub(1)),
        }
    }

    /// The index among the shown rows of a row, or of the next shown row after it.
    pub(super) fn index(&self, row: usize) -> usize {
        match &self.only {
            Some(only) => only.partition_point(|&shown| shown < row),
            None => row,
        }
    }

    pub(super) fn max_top(&self) -> usize {
        self.nth(self.count().saturating_sub(self.height()))
    }
}
