//! Search patterns of clients.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::protocol::Error;
use crate::term::plain::block::Block;
use crate::term::plain::sieve::Sieve;

/// Maximum compiled size of a regular expression, in bytes.
pub const REGEX_BYTES: usize = 1 << 20;

/// A compiled search pattern. A pattern without special characters is searched as plain text, which
/// saves compiling it.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Plain text.
    Text(String),
    /// A regular expression, and its block search, which is created on first use; `None` if it
    /// cannot be built.
    Regex(Regex, OnceCell<Option<Sieve>>),
}

impl Pattern {
    /// Compiles a pattern.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        if regex::escape(pattern) == pattern {
            Ok(Self::Text(pattern.to_owned()))
        } else {
            Ok(Self::regex(compile(pattern, false)?))
        }
    }

    fn regex(regex: Regex) -> Self {
        Self::Regex(regex, OnceCell::new())
    }

    /// The first of `lines` that contains the pattern.
    pub fn first_line(&self, block: &Block, lines: Range<usize>) -> Option<usize> {
        let (regex, sieve) = match self {
            Self::Text(text) => return block.find(text, lines),
            Self::Regex(regex, sieve) => (regex, sieve),
        };
        let sieve = sieve.get_or_init(|| Sieve::new(regex.as_str(), false, REGEX_BYTES, 0));
        match sieve {
            Some(sieve) => sieve.find(block, lines),
            None => lines
                .into_iter()
                .find(|&line| regex.is_match(block.line(line))),
        }
    }

    /// Whether `text` contains the pattern.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Text(wanted) => text.contains(wanted),
            Self::Regex(regex, _) => regex.is_match(text),
        }
    }

    /// The first match in `text` that `fits`: where it is, and its groups.
    pub fn find(
        &self,
        text: &str,
        fits: impl Fn(&Range<usize>) -> bool,
    ) -> Option<(Range<usize>, Vec<Option<String>>)> {
        match self {
            Self::Text(wanted) => {
                let places = text.match_indices(wanted);
                let mut places = places.map(|(at, found)| at..at + found.len());
                places.find(fits).map(|place| (place, Vec::new()))
            }
            Self::Regex(regex, _) => {
                let mut all = regex.captures_iter(text);
                all.find_map(|captures| {
                    let place = captures.get(0)?.range();
                    let groups = captures.iter().skip(1);
                    let groups = groups.map(|group| Some(group?.as_str().to_owned()));
                    fits(&place).then(|| (place, groups.collect()))
                })
            }
        }
    }
}

/// The part of a long line around `at`, of at most about `most` bytes, with `…` where text is left out.
pub fn around(text: &str, at: Range<usize>, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let before = most.saturating_sub(at.len()) / 3;
    let start = boundary(text, at.start.saturating_sub(before));
    let end = boundary(text, start.saturating_add(most));
    let (left, right) = (
        if start > 0 { "…" } else { "" },
        if end < text.len() { "…" } else { "" },
    );
    format!("{left}{}{right}", &text[start..end]).into()
}

/// The character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Checks that a client's pattern can match: lines have no newline in them.
///
/// # Errors
/// `invalid_params` if the pattern contains a newline, or `\n` outside of brackets, where it can be one of several
/// characters.
pub fn check_line(pattern: &str) -> Result<(), Error> {
    let (mut is_escaped, mut is_in_brackets) = (false, false);
    for letter in pattern.chars() {
        let is_newline = match (letter, is_escaped) {
            ('\n', _) => true,
            ('n', true) => !is_in_brackets,
            _ => false,
        };
        if is_newline {
            let message = format!("`{pattern}` contains a newline, but single lines are searched");
            let hint = "`$` is the end of a line; give a pattern for each line";
            return Err(Error::invalid(message).hint(hint));
        }
        match letter {
            _ if is_escaped => {}
            '[' => is_in_brackets = true,
            ']' => is_in_brackets = false,
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    Ok(())
}

/// Compiles a client's pattern. `^` and `$` match at line ends.
pub fn compile(pattern: &str, ignore_case: bool) -> Result<Regex, Error> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .case_insensitive(ignore_case)
        .size_limit(REGEX_BYTES)
        .build()
        .map_err(|error| {
            // A syntax error spans several lines; the last one holds the message.
            let error = error.to_string();
            let why = error.lines().last().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            Error::invalid(format!(
                "`{pattern}` is not a valid regular expression: {why}"
            ))
            .hint("Rust's regex syntax: no look-around, no back-references")
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pattern_with_a_newline_is_refused() {
        for pattern in ["a\nb", r"a\nb", r"port 80\r?\n", r"[ab]\n", r"\\\n"] {
            assert!(check_line(pattern).is_err(), "{pattern}");
        }
        for pattern in ["a b", r"[^\n]*x", r"a\\n", r"\[now\]", "name", r"\d+\s*$"] {
            assert!(check_line(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn only_patterns_without_special_characters_are_text() {
        for text in ["ready", "", "it's done!", "naïve 漢字", "a\nb"] {
            assert!(
                matches!(Pattern::new(text).unwrap(), Pattern::Text(_)),
                "{text}"
            );
        }
        for regex in [
            "a.b", "^a", "a|b", "(a)", "[ab]", "a{2}", "\\d", "a+", "a*", "$",
        ] {
            assert!(
                matches!(Pattern::new(regex).unwrap(), Pattern::Regex(..)),
                "{regex}"
            );
        }
        assert!(Pattern::new("(").is_err());
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let line = format!("{}needle{}", "é".repeat(500), "x".repeat(500));
        let (at, _) = Pattern::new("needle")
            .unwrap()
            .find(&line, |_| true)
            .unwrap();
        let shown = around(&line, at, 100);
        assert!(shown.len() <= 110 && shown.contains("needle"), "{shown}");
        assert!(shown.starts_with("…é") && shown.ends_with("x…"), "{shown}");
        assert_eq!(around("short", 0..0, 100), "short");
    }

    proptest! {
        #[test]
        fn text_is_found_where_a_regular_expression_finds_it(
            pattern in "[ab .é\\n-]{0,4}",
            text in "[ab .é\\n-]{0,12}",
        ) {
            let (one, other) = (Pattern::new(&pattern).unwrap(), compile(&pattern, false).unwrap());
            let other = Pattern::regex(other);
            prop_assert_eq!(one.is_in(&text), other.is_in(&text));
            for from in 0..3 {
                let places = |pattern: &Pattern| pattern.find(&text, |at| at.end > from);
                prop_assert_eq!(places(&one), places(&other));
            }
        }

        #[test]
        fn a_block_search_agrees_with_a_search_line_by_line(
            pattern in prop_oneof![
                2 => "[ab .é\\n-]{0,3}",
                2 => "(\\^|\\$|a|b|\\\\s|\\[\\^a\\]|\\\\A|\\\\z|\\\\b|\\\\B|\\.|b\\*){1,4}",
            ],
            lines in proptest::collection::vec("[ab é-]{0,4}", 1..9),
            from in 0..9_usize,
        ) {
            let (pattern, mut block) = (Pattern::new(&pattern).unwrap(), Block::default());
            for line in &lines {
                block.text.push_str(line);
                block.end_line(0);
            }
            let range = from.min(lines.len())..lines.len();
            let first = range.clone().find(|&line| pattern.is_in(&lines[line]));
            prop_assert_eq!(pattern.first_line(&block, range), first);
        }
    }
}
