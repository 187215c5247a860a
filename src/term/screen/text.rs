//! A screen as text: its rows, plain or with attributes, and the prompt.

use std::borrow::Cow;

use super::{REPLACEMENT, Screen, columns};
use crate::term::extras::{self, Extra};
use crate::term::paint;

impl Screen {
    /// The text of each row. `trim` cuts blanks at row ends and blank rows at the end; otherwise
    /// each row is padded to the full width.
    pub fn rows_text(&self, trim: bool) -> Vec<String> {
        let mut rows: Vec<String> = self.each_row_text(trim).collect();
        while trim && rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// The text of the first visible row, as in [`rows_text`](Self::rows_text).
    pub fn first_row_text(&self, trim: bool) -> String {
        self.each_row_text(trim).next().unwrap_or_default()
    }

    /// Iterates over the emulator's rows, because it finds each single cell by walking from the top
    /// of the scrollback.
    pub(super) fn each_row_text(&self, trim: bool) -> impl Iterator<Item = String> {
        let cols = self.size.cols();
        let has_markers = self.extras().table().is_some();
        self.core.screen().rows(0, cols).map(move |mut row| {
            if has_markers && let Cow::Owned(text) = extras::strip(&row) {
                row = text;
            }
            if row.contains(REPLACEMENT) {
                row = row.replace(REPLACEMENT, "\u{fffd}");
            }
            if trim {
                row.truncate(row.trim_end_matches(' ').len());
            } else {
                // The emulator omits the blanks after the last character.
                let used = if row.is_ascii() {
                    row.len()
                } else {
                    row.chars().filter_map(columns).map(usize::from).sum()
                };
                row.extend(std::iter::repeat_n(
                    ' ',
                    usize::from(cols).saturating_sub(used),
                ));
            }
            row
        })
    }

    /// [`rows_text`](Self::rows_text) joined by newlines.
    pub fn text(&self, trim: bool) -> String {
        self.rows_text(trim).join("\n")
    }

    /// The text for copying: wrapped rows are joined, blanks at line ends and blank lines at the
    /// end are removed.
    pub fn logical_text(&self) -> String {
        let mut text = String::new();
        for (row, line) in (0..).zip(self.each_row_text(false)) {
            text.push_str(&line);
            if !self.row_wrapped(row) {
                text.truncate(text.trim_end_matches(' ').len());
                text.push('\n');
            }
        }
        text.truncate(text.trim_end_matches([' ', '\n']).len());
        text
    }

    /// The text of a row with its attributes and links (SGR and OSC 8) and no other sequences, as printed
    /// by `tmux capture-pane -e`. `trim` cuts blank cells at the end.
    pub fn row_ansi(&self, row: u16, trim: bool) -> String {
        let text = paint::row(self.core.screen(), row, trim);
        let none = Extra::default();
        extras::paint(text, self.extras(), &none, &none)
    }

    /// All rows as returned by [`row_ansi`](Self::row_ansi). `trim` also omits blank rows at the
    /// end.
    pub fn rows_ansi(&self, trim: bool) -> Vec<String> {
        let rows = 0..self.size.rows();
        let mut rows: Vec<_> = rows.map(|row| self.row_ansi(row, trim)).collect();
        while trim && rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// The prompt of a program that waits for input: the text before the cursor, or if there is
    /// none, the last line above it.
    pub fn prompt(&self) -> String {
        let own = self.before_cursor();
        if !own.trim().is_empty() {
            return own;
        }
        let row = usize::from(self.cursor().row);
        let rows: Vec<String> = self.each_row_text(false).take(row).collect();
        let mut above = rows.iter().rev().map(|row| row.trim_end());
        above
            .find(|row| !row.is_empty())
            .unwrap_or_default()
            .to_owned()
    }

    /// The text of the cursor's row before the cursor.
    pub fn before_cursor(&self) -> String {
        let cursor = self.cursor();
        let mut rows = self.each_row_text(false);
        let own = rows.nth(usize::from(cursor.row)).unwrap_or_default();
        own.chars().take(usize::from(cursor.col)).collect()
    }
}
