//! Globs of `include` and `watch`.

use globset::{Glob, GlobBuilder, GlobSet};

/// Longest glob, in bytes, and most braces in one. Beyond that, some globs are well formed but cannot be compiled.
const MAX_LENGTH: usize = 1000;
const MAX_BRACES: usize = 50;

/// Checks a glob. The error says what is wrong with it.
pub(super) fn check(text: &str) -> Result<Glob, String> {
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.len() > MAX_LENGTH || text.matches('{').count() > MAX_BRACES {
        return Err(format!(
            "it has more than {MAX_LENGTH} characters or {MAX_BRACES} braces"
        ));
    }
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    glob.map_err(|error| error.kind().to_string())
}

/// Compiles a glob. A set of one is used because a single glob panics if it cannot be compiled.
pub(super) fn compile(text: &str) -> Result<GlobSet, String> {
    let glob = check(text)?;
    let set = GlobSet::builder().add(glob).build();
    set.map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_checked_can_be_compiled() {
        let nested = "{".repeat(50) + &"}".repeat(50);
        let classes = "[!\u{100}-\u{10000}]".repeat(60);
        for text in [
            "*.{rs,toml}",
            "a/**/b",
            "[a-z]?",
            &nested,
            &"?".repeat(1000),
            &classes,
        ] {
            assert!(check(text).is_ok(), "{text}");
            assert!(compile(text).is_ok(), "{text}");
        }
        for text in ["", "[", "{a", "[z-a]", &"{".repeat(51), &"x".repeat(1001)] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
