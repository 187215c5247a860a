//! A search and its matches in a text.

use regex::Regex;

use super::place::Place;
use super::seek::Direction;
use super::text::Text;
use crate::tui::pattern::smart_case;

/// Maximum number of matches kept; the newest ones.
const MAX_FOUND: usize = 100_000;

/// A search and its matches.
pub struct Search {
    /// The text as typed.
    pub text: String,
    /// The compiled pattern.
    pub pattern: Regex,
    /// The matches, from the top.
    pub found: Vec<Found>,
    /// Whether the text may have more matches above these.
    pub is_cut: bool,
}

/// A match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The place of its first character.
    pub start: Place,
    /// The place just after its last character.
    pub end: Place,
}

impl Search {
    /// A search for `text`, which is used as a regular expression if it is a valid one and
    /// literally otherwise. The search is case-sensitive if `text` contains a capital letter.
    /// `None` if `text` cannot be searched for.
    pub fn new(text: &str) -> Option<Self> {
        let pattern = smart_case(text)?;
        Some(Self {
            text: text.to_owned(),
            pattern,
            found: Vec::new(),
            is_cut: false,
        })
    }

    /// Searches a whole text. Wrapped lines are searched as one line.
    pub fn look_through(&mut self, text: &Text) {
        self.found.clear();
        let mut end = text.rows.len();
        while end > 0 && self.found.len() < MAX_FOUND {
            let (first, last) = text.line_of(end - 1);
            let line = if first == last {
                None
            } else {
                Some(text.line_text(first, last))
            };
            let line = line.as_deref().unwrap_or(&text.rows[first].text);
            let matches = self.pattern.find_iter(line).filter(|m| !m.is_empty());
            let mut place_of = text.places_in_line(first);
            let places = matches.map(|found| Found {
                start: place_of(found.start()),
                end: place_of(found.end()),
            });
            let from = self.found.len();
            self.found.extend(places);
            self.found[from..].reverse();
            end = first;
        }
        self.is_cut = end > 0 || self.found.len() > MAX_FOUND;
        self.found.truncate(MAX_FOUND);
        self.found.reverse();
    }

    /// Whether the next match from a place is among those that are kept, in both directions.
    pub fn covers(&self, place: Place) -> bool {
        !self.is_cut || self.found.first().is_some_and(|first| first.start < place)
    }

    /// Index of the match that starts at a place, counted from the top.
    pub fn at(&self, place: Place) -> Option<usize> {
        let found = &self.found;
        found.binary_search_by_key(&place, |found| found.start).ok()
    }

    /// The next match from a place; `None` past the last one.
    pub fn next(&self, from: Place, direction: Direction) -> Option<Place> {
        let next = match direction {
            Direction::Older => {
                let before = self.found.partition_point(|found| found.start < from);
                before.checked_sub(1)?
            }
            Direction::Newer => self.found.partition_point(|found| found.start <= from),
        };
        self.found.get(next).map(|found| found.start)
    }

    /// The column ranges of a row that match, end exclusive. `width` is the width of all rows.
    pub fn columns(&self, width: usize, row: usize) -> impl Iterator<Item = (usize, usize)> {
        let start = Place { row, col: 0 };
        // Matches do not overlap, so they are also sorted by their ends.
        let from = self.found.partition_point(|found| found.end <= start);
        let here = self.found[from..].iter();
        here.take_while(move |found| found.start.row <= row)
            .map(move |found| {
                let begins = found.start.row == row;
                let ends = found.end.row == row;
                let from = if begins { found.start.col } else { 0 };
                (from, if ends { found.end.col } else { width })
            })
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
        let places = search.found.iter().map(|found| found.start);
        places.map(|at| (at.row, at.col)).collect()
    }

    #[test]
    fn a_capital_letter_makes_the_search_case_sensitive() {
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
        let columns = |pattern: &str, row: usize| {
            let mut search = Search::new(pattern).unwrap();
            search.look_through(&text);
            search.columns(5, row).collect::<Vec<_>>()
        };
        assert_eq!(columns("n.*l", 0), []);
        assert_eq!(columns("n.*l", 1), [(0, 5)]);
        assert_eq!(columns("n.*l", 2), []);
        assert_eq!(columns("dle", 1), [(3, 5)]);
        assert_eq!(columns("dle", 2), [(0, 1)]);
        assert_eq!(columns("n|d", 1), [(0, 1), (3, 4)]);
    }

    #[test]
    fn walks_a_long_line_only_once() {
        // This takes minutes if each match walks through the line again.
        let line = r#"{"a":1},"#.repeat(1 << 17);
        let text = text(50, &line);
        let mut search = Search::new("\"").unwrap();
        search.look_through(&text);
        assert!(search.is_cut);
        assert_eq!(search.found.len(), MAX_FOUND);
        let (first, last) = (search.found[0].start, search.found[MAX_FOUND - 1].start);
        let end = (1 << 17) * 8;
        let place = |at: usize| Place {
            row: at / 50,
            col: at % 50,
        };
        assert_eq!(last, place(end - 5), "the newest are kept");
        assert_eq!(first, place(end - (MAX_FOUND / 2) * 8 + 1));
        let columns = |row| search.columns(50, row).count();
        assert_eq!((columns(first.row - 1), columns(last.row - 1)), (0, 12));
    }

    #[test]
    fn searches_up_for_older_and_down_for_newer() {
        let text = text(20, "a\r\nb\r\na\r\n");
        let mut search = Search::new("a").unwrap();
        search.look_through(&text);
        let at = |row| Place { row, col: 0 };
        assert_eq!(search.next(at(1), Direction::Older), Some(at(0)));
        assert_eq!(search.next(at(0), Direction::Newer), Some(at(2)));
        assert_eq!(search.next(at(0), Direction::Older), None);
        assert_eq!(search.at(at(2)), Some(1));
    }
}
