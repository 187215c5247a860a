//! Turns serde's errors about parameters into messages for people.

use super::Error;
use super::suggest::nearest;

/// Maximum number of characters that an error quotes from a request.
const MAX_QUOTED: usize = 100;

/// Turns serde's message about the parameters of `action` into an [`Error`]. `path` is the
/// parameter concerned, or `.` for all of them.
pub(super) fn explain(action: &str, path: &str, message: &str) -> Error {
    for (lead, what) in [
        ("unknown field `", "parameter"),
        ("unknown variant `", "value"),
    ] {
        if let Some(rest) = message.strip_prefix(lead) {
            return unknown(action, path, what, rest);
        }
    }
    if message.starts_with("missing field") {
        let word = message.split('`').nth(1).unwrap_or(path);
        return missing(action, word);
    }
    let place = match path {
        "." => format!("`{action}`"),
        path => format!("`{}` of `{action}`", quoted(path)),
    };
    let wrong = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|lead| message.strip_prefix(lead)?.rsplit_once(", expected "));
    match wrong {
        // A parameter that is `null` counts as absent.
        Some(("null", _)) if path != "." => missing(action, path),
        Some((found, wanted)) => Error::invalid(format!(
            "{place}: expected {}, not {}",
            kind(wanted),
            quoted(&thing(found))
        )),
        None => Error::invalid(format!("{place}: {message}")),
    }
}

/// Truncates a quotation from a request, so that the error stays readable.
pub(super) fn quoted(words: &str) -> String {
    match words.char_indices().nth(MAX_QUOTED) {
        Some((cut, _)) => format!("{}…", &words[..cut]),
        None => words.to_owned(),
    }
}

fn missing(action: &str, word: &str) -> Error {
    Error::invalid(format!("`{action}` needs the parameter `{}`", quoted(word)))
}

/// An unknown parameter or value. serde's message reads "x`, expected one of `a`, `b`"; the
/// suggestion is chosen from the expected words.
fn unknown(action: &str, path: &str, what: &str, rest: &str) -> Error {
    let end = rest
        .rfind("`, expected ")
        .or_else(|| rest.rfind("`, there are no "))
        .unwrap_or(rest.len());
    let (word, expected) = rest.split_at(end);
    let known: Vec<&str> = expected.split('`').skip(2).step_by(2).collect();
    let outer = path
        .strip_suffix(word)
        .map(|place| place.trim_end_matches('.'));
    let place = match outer {
        Some("") | None if what == "parameter" => format!("`{action}`"),
        Some(place) if what == "parameter" => format!("`{place}` of `{action}`"),
        _ => format!("`{path}` of `{action}`"),
    };
    let message = format!("Unknown {what} `{}` for {place}", quoted(word));
    Error::invalid(message).hint(match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it takes no parameters".to_owned(),
        None => format!("known: {}", known.join(", ")),
    })
}

/// Names what was found: "integer `-1`", "string \"x\"", "sequence".
fn thing(found: &str) -> String {
    if let Some(text) = found.strip_prefix("string ") {
        return format!("the text {text}");
    }
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        _ => found.split('`').nth(1).unwrap_or(found).to_owned(),
    }
}

/// Names what was expected. serde gives the name of a Rust type, or text.
fn kind(wanted: &str) -> &str {
    match wanted {
        "usize" | "u64" | "u32" => "a whole number from 0",
        "u16" => "a whole number from 0 to 65535",
        "i32" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "string or map" => "a word",
        wanted if wanted.starts_with("struct ") => "an object",
        words => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_and_backticks_in_them_do_no_harm() {
        let long = "x".repeat(1000);
        let message = format!("invalid type: string \"{long}\", expected u64");
        let error = explain("poll", "maxChars", &message);
        assert!(error.message.len() < 250, "{error}");
        let message = "unknown field `a`, expected `b`, expected one of `x`, `y`";
        let error = explain("poll", ".", message);
        assert_eq!(
            error.message,
            "Unknown parameter `a`, expected `b` for `poll`"
        );
        assert_eq!(error.hint.as_deref(), Some("known: x, y"));
    }
}
