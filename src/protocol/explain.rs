//! Turns faults in parameters into messages for people.

use super::Error;
use super::fault::Fault;
use super::suggest::nearest;

/// Maximum number of characters that an error quotes from a request.
const MAX_QUOTED: usize = 100;

/// Turns a fault in the parameters of `action` into an [`Error`]. `path` is the parameter concerned, or `.` for all of
/// them.
pub(super) fn explain(action: &str, path: &str, fault: Fault) -> Error {
    let place = match path {
        "." => format!("`{action}`"),
        path => format!("`{}` of `{action}`", quoted(path)),
    };
    match fault {
        Fault::Parameter { word, known } => {
            let outer = path.strip_suffix(&word).unwrap_or_default();
            let place = match outer.trim_end_matches('.') {
                "" => format!("`{action}`"),
                outer => format!("`{outer}` of `{action}`"),
            };
            unknown("parameter", &word, &place, known)
        }
        Fault::Choice { word, known } => unknown("value", &word, &place, known),
        Fault::Missing(word) => missing(action, word),
        // A parameter that is `null` counts as absent.
        Fault::Null if path != "." => missing(action, path),
        Fault::Kind { found, wanted } => Error::invalid(format!(
            "{place}: expected {wanted}, not {}",
            quoted(&found)
        )),
        told => Error::invalid(format!("{place}: {told}")),
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

fn unknown(what: &str, word: &str, place: &str, known: &[&str]) -> Error {
    let message = format!("Unknown {what} `{}` for {place}", quoted(word));
    Error::invalid(message).hint(match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it takes no parameters".to_owned(),
        None => format!("known: {}", known.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_and_the_clients_own_backticks_confuse_nobody() {
        let fault = Fault::Kind {
            found: "x".repeat(1000),
            wanted: "a whole number".to_owned(),
        };
        let error = explain("poll", "maxChars", fault);
        assert!(error.message.len() < 250, "{error}");
        let word = "a`, expected `b".to_owned();
        let known = &["x", "y"];
        let error = explain("poll", ".", Fault::Parameter { word, known });
        assert_eq!(
            error.message,
            "Unknown parameter `a`, expected `b` for `poll`"
        );
        assert_eq!(error.hint.as_deref(), Some("known: x, y"));
    }
}
