//! Serde's messages about wrong values in plain words.

use crate::protocol::suggest::either;

/// What is wrong with the value of a key: `"notify" must be terminal, desktop or none, not "x"`. A message of another
/// form stays as it is.
pub(super) fn plain(key: &str, message: &str) -> String {
    match parts(message) {
        Some((found, expected)) => format!("\"{key}\" must be {expected}, not {found}"),
        // For a value that is one of several words.
        None if message == "wanted string or table" => format!("\"{key}\" must be a string"),
        None => format!("\"{key}\": {message}"),
    }
}

/// What was found and what was expected.
fn parts(message: &str) -> Option<(String, String)> {
    if let Some(rest) = message.strip_prefix("unknown variant `") {
        let (word, known) = rest.split_once("`, expected ")?;
        // Each word stands between backticks.
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        return Some((format!("\"{word}\""), either(&known)));
    }
    let rest = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let expected = match expected {
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        expected if expected.starts_with("struct ") => "a table",
        expected => expected,
    };
    Some((value(found).to_owned(), expected.to_owned()))
}

/// The value in a description of it: `1` in `` integer `1` ``, `"x"` in `string "x"`.
fn value(found: &str) -> &str {
    match found {
        "sequence" => "a list",
        "map" => "a table",
        _ => match found.strip_prefix("string ") {
            Some(text) => text,
            None => found.split('`').nth(1).unwrap_or(found),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_serde_become_sentences() {
        for (message, expected) in [
            (
                "unknown variant `x`, expected one of `a`, `b`, `c`",
                "must be a, b or c, not \"x\"",
            ),
            (
                "unknown variant `pbs`, expected `slurm`",
                "must be slurm, not \"pbs\"",
            ),
            (
                "invalid type: string \"a`b\", expected a boolean",
                "must be true or false, not \"a`b\"",
            ),
            (
                "invalid type: integer `99999999999999999999` as i128, expected a string",
                "must be a string, not 99999999999999999999",
            ),
            (
                "invalid type: sequence, expected struct Retention",
                "must be a table, not a list",
            ),
            ("wanted string or table", "must be a string"),
        ] {
            assert_eq!(plain("key", message), format!("\"key\" {expected}"));
        }
        assert_eq!(plain("key", "`7` is odd"), "\"key\": `7` is odd");
    }
}
