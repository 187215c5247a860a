//! A search, and where in a text it was found.

use regex::{Regex, RegexBuilder};

use super::place::Place;
use super::text::Text;

/// Matches kept at most.
const MAX_FOUND: usize = 100_000;

/// A search and what it found.
pub struct Search {
    /// What was typed.
    pub text: String,
    /// How it is looked for.
    pub pattern: Regex,
    /// Where the matches begin, from the top.
    pub found: Vec<Place>,
}

impl Search {
    /// A search for `text`: a regular expression if it is one, else as it stands; case matters once it has a
    /// capital. `None` when it cannot be looked for.
    pub fn new(text: &str) -> Option<Self> {
        let smart = !text.chars().any(char::is_uppercase);
        let build = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(smart).build();
        let pattern = build(text).or_else(|_| build(&regex::escape(text))).ok()?;
        Some(Self {
            text: text.to_owned(),
            pattern,
            found: Vec::new(),
        })
    }

    /// Display through all of a text. Lines are looked at whole, however they wrap.
    pub fn look_through(&mut self, text: &Text) {
        self.found.clear();
        let mut row = 0;
        while row < text.rows.len() && self.found.len() < MAX_FOUND {
            let (first, last) = text.line_of(row);
            let line = match first == last {
                true => None,
                false => Some(text.line_text(first, last)),
            };
            let line = line.as_deref().unwrap_or(&text.rows[row].text);
            let matches = self.pattern.find_iter(line).filter(|m| !m.is_empty());
            self.found.extend(matches.map(|found| {
                let (row, col) = text.place_in_line(first, found.start());
                Place { row, col }
            }));
            row = last + 1;
        }
    }

    /// The match that begins at a place, counted from the top and from 0.
    pub fn at(&self, place: Place) -> Option<usize> {
        self.found.binary_search(&place).ok()
    }

    /// The next match from a place.
    pub fn next(&self, from: Place, older: bool) -> Option<Place> {
        if older {
            let before = self.found.partition_point(|found| *found < from);
            return Some(self.found[before.checked_sub(1)?]);
        }
        let after = self.found.partition_point(|found| *found <= from);
        self.found.get(after).copied()
    }

    /// Columns of a row that match: from one up to but without the other.
    pub fn columns(&self, text: &Text, row: usize) -> Vec<(usize, usize)> {
        let (first, last) = text.line_of(row);
        let line = text.line_text(first, last);
        let matches = self.pattern.find_iter(&line).filter(|m| !m.is_empty());
        let mut columns = Vec::new();
        for found in matches {
            let (from_row, from) = text.place_in_line(first, found.start());
            let (to_row, to) = text.place_in_line(first, found.end());
            let width = usize::from(text.size.cols());
            let start = if from_row < row { 0 } else { from };
            let end = if to_row > row { width } else { to };
            if from_row <= row && to_row >= row && start < end {
                columns.push((start, end));
            }
        }
        columns
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Part;
    use super::*;
    use crate::term::size::Size;

    fn text(cols: u16, bytes: &str) -> Text {
        let mut text = Text::new(Size::new(5, cols), false);
        text.receive(Part::First, bytes.as_bytes(), 0);
        text
    }

    fn found(pattern: &str, text: &Text) -> Vec<(usize, usize)> {
        let mut search = Search::new(pattern).unwrap();
        search.look_through(text);
        search.found.iter().map(|at| (at.row, at.col)).collect()
    }

    #[test]
    fn case_matters_once_there_is_a_capital() {
        let text = text(20, "Error error\r\nERROR\r\n(\r\n");
        assert_eq!(found("error", &text), [(0, 0), (0, 6), (1, 0)]);
        assert_eq!(found("Error", &text), [(0, 0)]);
        assert_eq!(found("(", &text), [(2, 0)]);
        assert_eq!(found("x*", &text), []);
    }

    #[test]
    fn a_match_may_wrap() {
        let text = text(5, "日本 needle\r\n");
        assert_eq!(found("needle", &text), [(1, 0)]);
        let mut search = Search::new("n.*l").unwrap();
        search.look_through(&text);
        assert_eq!(search.columns(&text, 1), [(0, 5)]);
        assert_eq!(search.columns(&text, 2), []);
        let mut search = Search::new("dle").unwrap();
        search.look_through(&text);
        assert_eq!(search.columns(&text, 1), [(3, 5)]);
        assert_eq!(search.columns(&text, 2), [(0, 1)]);
    }

    #[test]
    fn older_is_up_and_newer_is_down() {
        let text = text(20, "a\r\nb\r\na\r\n");
        let mut search = Search::new("a").unwrap();
        search.look_through(&text);
        let at = |row| Place { row, col: 0 };
        assert_eq!(search.next(at(1), true), Some(at(0)));
        assert_eq!(search.next(at(0), false), Some(at(2)));
        assert_eq!(search.next(at(0), true), None);
        assert_eq!(search.at(at(2)), Some(1));
    }
}
