//! The search syntax: a regular expression if valid, case-sensitive if the text has a capital
//! letter.

use regex::{Regex, RegexBuilder};

/// The pattern for `text`: a regular expression if it is a valid one, otherwise literal text.
/// `None` if it cannot be compiled.
pub fn smart_case(text: &str) -> Option<Regex> {
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .case_insensitive(ignores_case(text))
            .build()
    };
    build(text).or_else(|_| build(&regex::escape(text))).ok()
}

/// Whether a search for `text` ignores case.
pub fn ignores_case(text: &str) -> bool {
    !text.chars().any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_letter_makes_a_pattern_case_sensitive() {
        let finds = |typed: &str, text: &str| smart_case(typed).is_some_and(|it| it.is_match(text));
        assert!(finds("error", "TypeError"));
        assert!(!finds("Error", "error"));
        assert!(finds("a.c", "abc"));
        assert!(finds("a(", "main(a(b))"), "as it stands");
    }
}
