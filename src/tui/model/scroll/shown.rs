//! Which rows show: all, or only those of lines with a match; and which of them are in view.

use super::Scroll;

impl Scroll {
    /// Rows that show at once.
    pub fn height(&self) -> usize {
        usize::from(self.display.pane.rows())
    }

    /// Rows in view, from the top.
    pub fn view(&self) -> impl Iterator<Item = usize> {
        let from = self.index(self.top);
        (from..self.count())
            .take(self.height())
            .map(|at| self.nth(at))
    }

    /// Whether a row shows at all.
    pub fn shows(&self, row: usize) -> bool {
        match &self.only {
            Some(only) => only.binary_search(&row).is_ok(),
            None => true,
        }
    }

    /// Whether only lines with a match show.
    pub fn is_filtered(&self) -> bool {
        self.only.is_some()
    }

    /// Whether the view is at the end of what is here.
    pub fn is_at_end(&self) -> bool {
        self.index(self.top) >= self.index(self.max_top())
    }

    /// Shows only lines with a match, or all.
    pub fn filter(&mut self) {
        let at_line = self.text.line_of(self.cursor.row).0;
        self.only = match self.only {
            None => Some(Vec::new()),
            Some(_) => None,
        };
        self.look_again();
        let row = match self.shows(self.cursor.row) {
            true => self.cursor.row,
            false => self.nth(self.index(at_line).min(self.count().saturating_sub(1))),
        };
        self.cursor.row = row;
        self.top = self.nth(self.index(row).saturating_sub(self.height() / 2));
        self.top = self.top.min(self.max_top());
        self.keep_column();
    }

    /// Finds the matches again, and the rows that show.
    pub(super) fn look_again(&mut self) {
        if let Some(search) = &mut self.search {
            search.look_through(&self.text);
        }
        if self.only.is_some() {
            let found = self.search.iter().flat_map(|search| &search.found);
            let mut rows: Vec<usize> = Vec::new();
            for found in found {
                // A line with many matches is there after the first one.
                if rows.last().is_none_or(|&last| last < found.start.row) {
                    let (first, last) = self.text.line_of(found.start.row);
                    rows.extend(first..=last);
                }
            }
            self.only = Some(rows);
        }
    }

    /// Rows that show in all.
    pub(super) fn count(&self) -> usize {
        match &self.only {
            Some(only) => only.len(),
            None => self.text.rows.len(),
        }
    }

    /// The row that shows at a place in those that do.
    pub(super) fn nth(&self, at: usize) -> usize {
        match &self.only {
            Some(only) => only.get(at).or(only.last()).copied().unwrap_or(0),
            None => at.min(self.text.rows.len().saturating_sub(1)),
        }
    }

    /// The place of a row, or of the first one after it, in those that show.
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
