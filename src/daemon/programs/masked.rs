//! Masks what looks secret in a text that a program says of itself.

use super::env_shown::{is_token, looks_secret};
use crate::protocol::record::MASKED;

/// Signs that end the text before a name.
const BEFORE_NAMES: [char; 18] = [
    '?', '&', ';', ',', '{', '}', '(', ')', '<', '>', '|', '/', '=', ':', '@', '"', '\'', '`',
];

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// What the next word of a text is.
#[derive(Clone, Copy)]
enum Next {
    /// Any word.
    Any,
    /// A value that looks secret.
    Value,
    /// More of such a value, up to this quote.
    Quoted(char),
}

/// The text with `***` in place of values that look secret: of `NAME=value`, `name: value`, `--name value`,
/// `?name=value`, `"name":"value"`, `Bearer value` and `Authorization: Basic value`, passwords in URLs, and tokens of
/// well-known services.
pub(crate) fn text(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let (mut next, mut before) = (Next::Any, "");
    for word in text.split(' ') {
        let (shown, then) = match next {
            _ if word.is_empty() => (String::new(), next),
            Next::Quoted(quote) if word.contains(quote) => (MASKED.to_owned(), Next::Any),
            Next::Quoted(_) => (MASKED.to_owned(), next),
            Next::Value if is_scheme(word) => (word.to_owned(), next),
            Next::Value if !word.starts_with("--") => (MASKED.to_owned(), after(word)),
            Next::Value | Next::Any => masked(word, before),
        };
        words.push(shown);
        next = then;
        if !word.is_empty() {
            before = word;
        }
    }
    words.join(" ")
}

/// A word that does not follow a name, and what follows it.
fn masked(word: &str, before: &str) -> (String, Next) {
    let sign = secret_value(word).filter(|sign| !looks_secret("", &word[..*sign]));
    if let Some(sign) = sign {
        let (name, value) = word.split_at(sign + 1);
        let next = if is_scheme(value) {
            Next::Value
        } else {
            after(value)
        };
        return (format!("{name}{MASKED}"), next);
    }
    if is_token(word.trim_matches(is_sign)) || looks_secret("", word) {
        return (MASKED.to_owned(), Next::Any);
    }
    let next = if announces_value(word, before) {
        Next::Value
    } else {
        Next::Any
    };
    (word.to_owned(), next)
}

/// Where the sign is behind the first name in a word whose value looks secret, as in `NAME=value` or `?x=1&name=value`.
fn secret_value(word: &str) -> Option<usize> {
    let mut signs = word.match_indices([':', '=']).map(|(at, _)| at);
    signs.find(|&at| {
        let (before, value) = (&word[..at], &word[at + 1..]);
        let name = name_at_end(before);
        // `module::name` and `file.rs:12` are no values.
        let is_path = before.ends_with(':') || value.starts_with(':');
        let is_number = || {
            value
                .trim_end_matches(is_sign)
                .bytes()
                .all(|b| b.is_ascii_digit() || b == b':')
        };
        let is_place = word[at..].starts_with(':') && name.contains('.') && is_number();
        let is_value = !value.is_empty() && !is_path && !is_place;
        is_value && !name.is_empty() && looks_secret(name, value)
    })
}

/// Whether a secret value follows a word. A sentence may end with a name and a colon; then nothing follows.
fn announces_value(word: &str, before: &str) -> bool {
    if let Some(name) = word.strip_suffix([':', '=']) {
        return looks_secret(name_at_end(name), "");
    }
    let flag = word.trim_start_matches(QUOTES);
    if flag.starts_with('-') && !flag.contains([':', '=']) {
        return looks_secret(flag, "");
    }
    let mut parts = word.rsplit(is_sign).filter(|part| !part.is_empty());
    let last = parts.next().unwrap_or_default();
    let is_header = || {
        let mut parts = parts.chain(before.rsplit(is_sign));
        parts.any(|part| part.eq_ignore_ascii_case("authorization"))
    };
    last.eq_ignore_ascii_case("bearer") || last.eq_ignore_ascii_case("basic") && is_header()
}

/// Whether a word says how the value after it is to be read, as the first one of an `Authorization` header does.
fn is_scheme(word: &str) -> bool {
    let word = word.trim_matches(is_sign);
    ["bearer", "basic"]
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// What follows the first word of a value.
fn after(value: &str) -> Next {
    let value = value.trim_start_matches(['$', '\\']);
    match value.chars().next().filter(|c| QUOTES.contains(c)) {
        Some(quote) if !value[1..].contains(quote) => Next::Quoted(quote),
        _ => Next::Any,
    }
}

/// The name at the end of a text, which may be in quotes.
fn name_at_end(text: &str) -> &str {
    let text = text.trim_end_matches(QUOTES).trim_end_matches('\\');
    let begin = text.rfind(BEFORE_NAMES).map_or(0, |at| at + 1);
    &text[begin..]
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric()
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
            ("curl --api-key=abc -v", "curl --api-key=*** -v"),
            (
                "get https://h/x?a=1&api_key=abc&token=def now",
                "get https://h/x?a=1&api_key=*** now",
            ),
            ("https://u:pw@h/?token=abc", "***"),
            ("login --auth-token abc -v", "login --auth-token *** -v"),
            ("login --password --user me", "login --password --user me"),
            (
                r#"sends {"a":1,"api_key":"abc"}"#,
                r#"sends {"a":1,"api_key":***"#,
            ),
            (
                r#"runs TOKEN="one two three" make"#,
                "runs TOKEN=*** *** *** make",
            ),
            (r#"sh -c "TOKEN=abc" make"#, r#"sh -c "TOKEN=*** make"#),
            (
                "-H 'Authorization: Basic abc' url",
                "-H 'Authorization: Basic *** url",
            ),
            ("X-Auth: Bearer abc", "X-Auth: Bearer ***"),
            ("the basic idea of it", "the basic idea of it"),
            (
                "see src/auth.rs:12 and auth::login",
                "see src/auth.rs:12 and auth::login",
            ),
            ("is in $PWD: see there", "is in $PWD: see there"),
        ] {
            assert_eq!(text(said), shown);
        }
    }

    proptest! {
        #[test]
        fn no_value_of_a_secret_name_stays(value in "[a-zA-Z0-9]{6,30}") {
            for said in [
                format!("TOKEN={value}"),
                format!("my password: {value}."),
                format!("bearer {value}"),
                format!("x --api-key={value} y"),
                format!("X-Api-Key: {value}"),
                format!("-H 'x-api-key:{value}'"),
                format!("https://h/x?api_key=1&token={value}"),
                format!("https://h/x?a=1&token={value}&b=2"),
                format!(r#"{{"a":1,"api_key":"{value}"}}"#),
                format!(r#"{{"a": 1, "api_key": "{value}"}}"#),
                format!("x --auth-token {value}"),
                format!("x --password {value}"),
                format!("x --password 'two {value}'"),
                format!("Authorization: Basic {value}"),
                format!("Authorization:Bearer {value}"),
                format!(r#"{{"Authorization":"Basic {value}"}}"#),
                format!("Auth: bearer {value}"),
                format!(r#"TOKEN="two {value}""#),
                format!("TOKEN='one  two {value} three'"),
            ] {
                prop_assert!(!text(&said).contains(&value), "{}", text(&said));
            }
        }

        #[test]
        fn words_keep_their_order_and_number(said in "[a-z =:]{0,60}") {
            prop_assert_eq!(text(&said).split(' ').count(), said.split(' ').count());
        }
    }
}
