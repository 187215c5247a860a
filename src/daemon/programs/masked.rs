//! Masks what looks secret in a text that a program says of itself.

use super::env_shown::looks_secret;
use crate::protocol::record::MASKED;

/// How tokens of well-known services begin.
const TOKENS: [&str; 12] = [
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "npm_",
    "eyJ",
];

/// Least length of a word that is taken for a token.
const TOKEN_CHARS: usize = 16;

/// The text with `***` in place of values that look secret: of `NAME=value`, `name: value` and `Bearer value`,
/// passwords in URLs, and tokens of well-known services.
pub(crate) fn text(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut follows_name = false;
    for word in text.split(' ') {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let hides = follows_name && !word.is_empty();
        words.push(match split(word) {
            _ if hides => MASKED.to_owned(),
            Some((name, sign, value)) if looks_secret(name, value) => {
                format!("{name}{sign}{MASKED}")
            }
            _ if is_token(bare) || looks_secret("", word) => MASKED.to_owned(),
            _ => word.to_owned(),
        });
        // A sentence may end with a name and a colon; then nothing follows.
        follows_name = match word.strip_suffix([':', '=']) {
            Some(name) => looks_secret(name, ""),
            None => bare.eq_ignore_ascii_case("bearer") || follows_name && word.is_empty(),
        };
    }
    words.join(" ")
}

/// Splits `NAME=value` or `name:value`.
fn split(word: &str) -> Option<(&str, char, &str)> {
    let at = word.find(['=', ':'])?;
    let (name, rest) = word.split_at(at);
    let sign = rest.chars().next()?;
    let value = &rest[sign.len_utf8()..];
    (!name.is_empty() && !value.is_empty()).then_some((name, sign, value))
}

fn is_token(word: &str) -> bool {
    word.len() >= TOKEN_CHARS && TOKENS.iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_masked_and_words_are_not() {
        for (said, shown) in [
            (
                "wants to run API_KEY=abc make",
                "wants to run API_KEY=*** make",
            ),
            ("password: hunter2 works", "password: *** works"),
            (
                "token ghp_0123456789abcdefghij expired",
                "token *** expired",
            ),
            ("Authorization Bearer abc", "Authorization Bearer ***"),
            ("pull http://me:pw@host/x", "pull ***"),
            (
                "see http://localhost:3000/a now",
                "see http://localhost:3000/a now",
            ),
            ("needs a password:", "needs a password:"),
            ("wants to use Bash", "wants to use Bash"),
            ("note: 3 of 10 done", "note: 3 of 10 done"),
        ] {
            assert_eq!(text(said), shown);
        }
    }

    proptest! {
        #[test]
        fn no_value_of_a_secret_name_stays(value in "[a-zA-Z0-9]{6,30}") {
            for said in [format!("TOKEN={value}"), format!("my password: {value}."), format!("bearer {value}")] {
                prop_assert!(!text(&said).contains(&value), "{}", text(&said));
            }
        }

        #[test]
        fn words_keep_their_order_and_number(said in "[a-z =:]{0,60}") {
            prop_assert_eq!(text(&said).split(' ').count(), said.split(' ').count());
        }
    }
}
