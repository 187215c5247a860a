//! How people look for text: a regular expression if it is one, and case matters once they type a capital.

use regex::{Regex, RegexBuilder};

/// What looks for `text`: a regular expression if it is one, else the text as it stands. `None` when it cannot be
/// looked for.
pub fn smart_case(text: &str) -> Option<Regex> {
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .case_insensitive(ignores_case(text))
            .build()
    };
    build(text).or_else(|_| build(&regex::escape(text))).ok()
}

/// Whether case does not matter to what was typed.
pub fn ignores_case(text: &str) -> bool {
    !text.chars().any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_matters_once_there_is_a_capital() {
        let finds = |typed: &str, text: &str| smart_case(typed).is_some_and(|it| it.is_match(text));
        assert!(finds("error", "TypeError"));
        assert!(!finds("Error", "error"));
        assert!(finds("a.c", "abc"));
        assert!(finds("a(", "main(a(b))"), "as it stands");
    }
}
