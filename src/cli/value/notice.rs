//! Events of which people are notified.

use crate::protocol::Notice;

/// What one value of `--notify` names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Notices(Vec<Notice>);

/// The words that `--notify` takes. `exit` is both `failed` and `done`.
pub(crate) const WORDS: [&str; 5] = ["failed", "done", "exit", "ready", "input"];

/// Parses a value of `--notify`: words with commas between them.
pub(crate) fn parse(text: &str) -> Result<Notices, String> {
    let words = text.split(',').map(str::trim);
    let named: Result<Vec<_>, _> = words.map(named).collect();
    named.map(|named| Notices(named.concat()))
}

fn named(word: &str) -> Result<Vec<Notice>, String> {
    match word {
        "exit" | "end" => Ok(vec![Notice::Failed, Notice::Done]),
        _ => Notice::parse(word).map(|one| vec![one]).ok_or_else(|| {
            format!("needs failed, done, exit (both), ready or input, not \"{word}\"")
        }),
    }
}

/// What several values name, each once.
pub(crate) fn all(values: &[Notices]) -> Vec<Notice> {
    let mut all = Vec::new();
    for notice in values.iter().flat_map(|Notices(named)| named) {
        if !all.contains(notice) {
            all.push(*notice);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_events_are_named_at_once() {
        let all = |values: &[&str]| {
            let values: Result<Vec<_>, _> = values.iter().map(|text| parse(text)).collect();
            values.map(|values| all(&values))
        };
        use Notice::{Done, Failed, Input, Ready};
        assert_eq!(all(&["failed,done"]), Ok(vec![Failed, Done]));
        assert_eq!(all(&["exit", "done, ready"]), Ok(vec![Failed, Done, Ready]));
        assert_eq!(all(&["end", "input"]), Ok(vec![Failed, Done, Input]));
        for word in WORDS {
            assert!(parse(word).is_ok(), "{word}");
        }
        let refused = "needs failed, done, exit (both), ready or input, not \"\"";
        assert_eq!(all(&["failed,"]), Err(refused.to_owned()));
        assert!(all(&["all"]).is_err());
    }
}
