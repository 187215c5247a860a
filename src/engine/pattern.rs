//! What clients look for in text.

use regex::{Regex, RegexBuilder};

use crate::protocol::Error;

/// Compiled size of a regular expression at most, in bytes.
pub const REGEX_BYTES: usize = 1 << 20;

/// A regular expression of a client; one without special characters is just found,
/// which saves compiling it.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// This text.
    Text(String),
    /// Anything else.
    Regex(Regex),
}

impl Pattern {
    /// Reads a pattern.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        match regex::escape(pattern) == pattern {
            true => Ok(Self::Text(pattern.to_owned())),
            false => compile(pattern, false).map(Self::Regex),
        }
    }

    /// Whether it is somewhere in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Text(wanted) => text.contains(wanted),
            Self::Regex(regex) => regex.is_match(text),
        }
    }

    /// Its groups where it is first found in `text`; `None` if it is not there.
    pub fn groups(&self, text: &str) -> Option<Vec<Option<String>>> {
        match self {
            Self::Text(wanted) => text.contains(wanted).then(Vec::new),
            Self::Regex(regex) => {
                let captures = regex.captures(text)?;
                let groups = captures.iter().skip(1);
                Some(
                    groups
                        .map(|group| Some(group?.as_str().to_owned()))
                        .collect(),
                )
            }
        }
    }
}

/// Compiles a pattern of a client; `^` and `$` match at lines.
pub fn compile(pattern: &str, ignore_case: bool) -> Result<Regex, Error> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .case_insensitive(ignore_case)
        .size_limit(REGEX_BYTES)
        .build()
        .map_err(|error| {
            // A syntax error is a drawing of several lines; the last one says it.
            let error = error.to_string();
            let why = error.lines().last().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            Error::invalid(format!("`{pattern}` is no regular expression: {why}"))
                .hint("Rust's regex syntax: no look-around, no back-references")
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_has_nothing_special_is_text() {
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
                matches!(Pattern::new(regex).unwrap(), Pattern::Regex(_)),
                "{regex}"
            );
        }
        assert!(Pattern::new("(").is_err());
    }

    proptest! {
        #[test]
        fn text_is_found_where_a_regular_expression_finds_it(
            pattern in "[ab .é\\n-]{0,4}",
            text in "[ab .é\\n-]{0,12}",
        ) {
            let (one, other) = (Pattern::new(&pattern).unwrap(), compile(&pattern, false).unwrap());
            let other = Pattern::Regex(other);
            prop_assert_eq!(one.is_in(&text), other.is_in(&text));
            prop_assert_eq!(one.groups(&text), other.groups(&text));
        }
    }
}
