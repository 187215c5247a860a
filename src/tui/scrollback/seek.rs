//! The targets that one can jump to in a text: matches, error lines, prompts and starts of runs.

use regex::Regex;

use super::place::Place;
use super::text::Text;
use crate::tui::errors::is_error_like;

/// Which way through the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Up, to what was written before.
    Older,
    /// Down, to what was written after.
    Newer,
}

/// The kind of target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JumpTarget {
    /// A match of the search.
    Match,
    /// A line that looks like an error.
    Error,
    /// A shell prompt, or the start of a run.
    Boundary,
}

impl JumpTarget {
    /// Its name in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Error => "line that looks like an error",
            Self::Boundary => "prompt or run",
        }
    }
}

/// What is needed to recognize a target.
pub struct Signs<'a> {
    /// The target.
    pub target: JumpTarget,
    /// The search pattern, for matches.
    pub pattern: Option<&'a Regex>,
    /// Offsets where runs start.
    pub runs: &'a [u64],
}

/// The next target from a place, or from the end of the text if `from` is `None`.
pub fn seek(
    text: &Text,
    signs: &Signs<'_>,
    from: Option<Place>,
    direction: Direction,
) -> Option<Place> {
    let last_row = text.rows.len().checked_sub(1)?;
    let mut row = match (from, direction) {
        (Some(from), _) => from.row.min(last_row),
        (None, Direction::Older) => last_row,
        (None, Direction::Newer) => 0,
    };
    let mut from = from;
    loop {
        let (first, last) = text.line_of(row);
        if let Some(place) = target_in(text, signs, (first, last), from, direction) {
            return Some(place);
        }
        // In the following lines every target counts, wherever it is.
        from = None;
        row = match direction {
            Direction::Older => first.checked_sub(1)?,
            Direction::Newer if last < last_row => last + 1,
            Direction::Newer => return None,
        };
    }
}

/// The target in a line that lies after (or before) a place in it.
fn target_in(
    text: &Text,
    signs: &Signs<'_>,
    (first, last): (usize, usize),
    from: Option<Place>,
    direction: Direction,
) -> Option<Place> {
    let start = Place { row: first, col: 0 };
    let is_one = match signs.target {
        JumpTarget::Match => {
            let line = text.line_text(first, last);
            let found = signs.pattern?.find_iter(&line).filter(|m| !m.is_empty());
            let mut place_of = text.places_in_line(first);
            let mut places = found.map(|found| place_of(found.start()));
            return match (from, direction) {
                (None, Direction::Older) => places.last(),
                (None, Direction::Newer) => places.next(),
                (Some(from), Direction::Older) => places.take_while(|place| *place < from).last(),
                (Some(from), Direction::Newer) => places.find(|place| *place > from),
            };
        }
        JumpTarget::Error => is_error_like(&text.line_text(first, last)),
        JumpTarget::Boundary => is_boundary(text, signs.runs, first, last),
    };
    (is_one && from.is_none()).then_some(start)
}

fn is_boundary(text: &Text, runs: &[u64], first: usize, last: usize) -> bool {
    let offset = text.rows[first].offset;
    let next = text.rows.get(last + 1).map_or(text.end, |row| row.offset);
    text.rows[first..=last].iter().any(|row| row.prompt)
        || runs.iter().any(|run| (offset..next).contains(run))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Part;
    use super::*;
    use crate::term::size::Size;

    fn text() -> Text {
        let mut text = Text::new(Size::new(5, 10), false);
        let bytes =
            "\x1b]133;A\x07$ make\r\na b a b a b a b\r\nsome error\r\n\x1b]133;A\x07$ x\r\n";
        text.receive(Part::First, bytes.as_bytes(), 0);
        text
    }

    fn walk(
        target: JumpTarget,
        pattern: &str,
        runs: &[u64],
        direction: Direction,
    ) -> Vec<(usize, usize)> {
        let (text, pattern) = (text(), Regex::new(pattern).unwrap());
        let signs = Signs {
            target,
            pattern: Some(&pattern),
            runs,
        };
        let mut places = Vec::new();
        let mut from = None;
        while let Some(place) = seek(&text, &signs, from, direction) {
            places.push((place.row, place.col));
            from = Some(place);
        }
        places
    }

    #[test]
    fn finds_each_target_once_in_both_directions() {
        let matches = [(1, 0), (1, 4), (1, 8), (2, 2)];
        assert_eq!(
            walk(JumpTarget::Match, "a b", &[], Direction::Newer),
            matches
        );
        let mut back = walk(JumpTarget::Match, "a b", &[], Direction::Older);
        back.reverse();
        assert_eq!(back, matches);
        assert_eq!(walk(JumpTarget::Error, "", &[], Direction::Older), [(3, 0)]);
        assert_eq!(
            walk(JumpTarget::Boundary, "", &[], Direction::Newer),
            [(0, 0), (4, 0)]
        );
    }

    #[test]
    fn starts_of_runs_are_boundaries() {
        let run = "\x1b]133;A\x07$ make\r\na b a b a b a b\r\n".len() as u64;
        let found = walk(JumpTarget::Boundary, "", &[0, run], Direction::Older);
        assert_eq!(found, [(4, 0), (3, 0), (0, 0)]);
    }
}
