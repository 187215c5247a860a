//! Words for the error about an unknown word: the nearest known one, or all of them.

use std::borrow::Borrow;

/// The candidate nearest to `word`; `None` if none is near enough.
///
/// Near enough is an edit distance (Damerau-Levenshtein) of at most a third of the longer word, the
/// measure that rustc uses for its own suggestions.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let other = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&lower, &other);
            (
                distance,
                lower.chars().count().max(other.chars().count()),
                candidate,
            )
        })
        .filter(|(distance, longer, _)| *distance <= (longer / 3).max(1))
        .min_by_key(|(distance, ..)| *distance)
        .map(|(.., candidate)| candidate)
}

/// Joins words as `a, b or c`.
pub fn either<W: Borrow<str>>(words: &[W]) -> String {
    match words {
        [most @ .., last] if !most.is_empty() => {
            format!("{} or {}", most.join(", "), last.borrow())
        }
        words => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_typo_and_rejects_an_unrelated_word() {
        assert_eq!(nearest("comand", ["command", "cwd"]), Some("command"));
        assert_eq!(
            nearest("sesionid", ["sessionId", "since"]),
            Some("sessionId")
        );
        assert_eq!(nearest("zebra", ["command", "cwd"]), None);
    }

    #[test]
    fn words_are_joined() {
        assert_eq!(either::<&str>(&[]), "");
        assert_eq!(either(&["a"]), "a");
        assert_eq!(either(&["a", "b", "c"]), "a, b or c");
    }
}
