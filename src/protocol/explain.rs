//! Turns faults in parameters into messages for people.

use super::Error;
use super::fault::Fault;
use super::suggest::nearest;

/// Maximum number of characters that an error quotes from a request.
const MAX_QUOTED: usize = 100;

/// Letters of the shortest beginning of a word that stands for it.
const SHORTEST: usize = 3;

/// Turns a fault in the parameters of `action` into an [`Error`]. `path` is the parameter concerned, or `.` for all of
/// them.
pub(super) fn explain(action: &str, path: &str, fault: Fault) -> Error {
    let parameter = match &fault {
        Fault::Missing(word) => word,
        _ => path.split(['.', '[']).next().unwrap_or_default(),
    };
    let example = example(action, parameter);
    let error = without_example(action, path, fault);
    match example {
        Some(example) if error.hint.is_none() => error.hint(format!("for example {example}")),
        _ => error,
    }
}

/// The right form of a parameter that is often given in another one.
fn example(action: &str, parameter: &str) -> Option<&'static str> {
    Some(match parameter {
        "wait" if action == "start" => r#""wait":true, or "until":[{"pattern":"done"}]"#,
        "timeoutSec" => r#""timeoutSec":600, in seconds"#,
        "until" => r#""until":[{"pattern":"ready"},{"exit":true}]"#,
        "fail" => r#""fail":[{"pattern":"error"}]"#,
        "wait" => r#""wait":{"until":[{"pattern":"done"}]}"#,
        "keys" => r#""keys":["C-c",{"text":"y"},"Enter"]"#,
        "ready" => r#""ready":{"port":8080}"#,
        "restart" => r#""restart":{"policy":"on-failure","maxRetries":3}"#,
        "limits" => r#""limits":{"memoryBytes":1000000000}"#,
        "env" => r#""env":{"NAME":"value"}"#,
        "command" => r#""command":"make test""#,
        "args" => r#""args":["-l","/tmp"]"#,
        "after" => r#""after":[{"sessionId":"build"}]"#,
        "signal" => r#""signal":"TERM""#,
        "data" => r#""data":"y","submit":true"#,
        "sessionId" => r#""sessionId":"k3v9xq2mwt7b""#,
        "sessionIds" => r#""sessionIds":["k3v9xq2mwt7b","web"]"#,
        "message" => r#""message":"Type the passphrase, please""#,
        _ => return None,
    })
}

fn without_example(action: &str, path: &str, fault: Fault) -> Error {
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
            unknown_parameter(action, &word, &place, known)
        }
        Fault::Choice { word, known } => unknown_value(&word, &place, known),
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

/// What other tools call a parameter: Codex, Claude Code, OpenClaw, tmux and the shell.
const SYNONYMS: [(&str, &str); 26] = [
    ("cmd", "command"),
    ("workdir", "cwd"),
    ("workingdirectory", "cwd"),
    ("directory", "cwd"),
    ("name", "label"),
    ("session", "sessionId"),
    ("sessionname", "sessionId"),
    ("id", "sessionId"),
    ("text", "data"),
    ("text", "keys"),
    ("text", "pattern"),
    ("stdin", "data"),
    ("stdin", "input"),
    ("input", "data"),
    ("chars", "data"),
    ("pattern", "until"),
    ("pattern", "grep"),
    ("enter", "submit"),
    ("regex", "grep"),
    ("query", "grep"),
    ("yieldtimems", "waitMs"),
    ("timeout", "timeoutSec"),
    ("timeout", "waitMs"),
    ("timeout", "timeoutMs"),
    ("timeoutms", "waitMs"),
    ("maxoutputtokens", "maxChars"),
];

/// What an action does not have: the action, the parameter, and what has it.
const ELSEWHERE: [(&str, &str, &str); 5] = [
    ("poll", "tail", "`log` has `tail`"),
    ("poll", "lines", "`log` has `lines` and `tail`"),
    ("log", "since", "`poll` has `since`"),
    ("log", "head", r#"for example "fromLine":1,"lines":20"#),
    ("log", "toline", r#"for example "fromLine":10,"lines":20"#),
];

fn unknown_parameter(action: &str, word: &str, place: &str, known: &[&str]) -> Error {
    let plain = word.replace('_', "").to_lowercase();
    let mut synonyms = SYNONYMS.iter().filter(|(theirs, _)| *theirs == plain);
    let ours = synonyms.find_map(|(_, ours)| known.contains(ours).then_some(*ours));
    let mut elsewhere = ELSEWHERE.iter().filter(|(at, ..)| *at == action);
    let elsewhere = elsewhere.find(|(_, theirs, _)| *theirs == plain);
    let error = unknown("parameter", word, place, known);
    match (ours, elsewhere) {
        (Some(ours), _) => error.hint(match example(action, ours) {
            Some(example) => format!("did you mean `{ours}`? For example {example}"),
            None => format!("did you mean `{ours}`?"),
        }),
        (None, Some((.., hint))) => error.hint(*hint),
        (None, None) => error,
    }
}

/// What others call how a session has ended.
const STATUSES: [(&str, &str); 4] = [
    ("completed", "done"),
    ("success", "done"),
    ("failed", "error"),
    ("stopped", "killed"),
];

/// What others call any end of a session.
const ENDED: [&str; 3] = ["finished", "ended", "exited"];

fn unknown_value(word: &str, place: &str, known: &[&str]) -> Error {
    let error = unknown("value", word, place, known);
    if ENDED.contains(&word) && known.contains(&"done") {
        return error.hint("give `done` or `error`, or leave it out to list all");
    }
    let mut meant = STATUSES.iter().filter(|(theirs, _)| *theirs == word);
    match meant.find(|(_, ours)| known.contains(ours)) {
        Some((_, ours)) => error.hint(format!("did you mean `{ours}`?")),
        None => error,
    }
}

fn unknown(what: &str, word: &str, place: &str, known: &[&str]) -> Error {
    let message = format!("Unknown {what} `{}` for {place}", quoted(word));
    let near = nearest(word, known.iter().copied());
    Error::invalid(message).hint(match near.or_else(|| begun(word, known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it takes no parameters".to_owned(),
        None => format!("known: {}", known.join(", ")),
    })
}

/// The only known word that begins like this one: `memoryBytes` for `memory`.
fn begun<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let lower = word.to_lowercase();
    let begins =
        |known: &&&str| lower.len() >= SHORTEST && known.to_lowercase().starts_with(&lower);
    let mut found = known.iter().filter(begins);
    found.next().filter(|_| found.next().is_none()).copied()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_other_tools_are_known() {
        let hint = |action: &str, word: &str, known| {
            let word = word.to_owned();
            explain(action, ".", Fault::Parameter { word, known })
                .hint
                .unwrap()
        };
        let start = &["command", "cwd", "waitMs"];
        assert_eq!(
            hint("start", "cmd", start),
            "did you mean `command`? For example \"command\":\"make test\""
        );
        assert_eq!(
            hint("start", "yield_time_ms", start),
            "did you mean `waitMs`?"
        );
        let until = hint("wait", "pattern", &["sessionId", "until"]);
        assert!(until.contains(r#""until":[{"pattern""#), "{until}");
        assert_eq!(hint("list", "cmd", &["label"]), "known: label");
        let limit = hint("start", "timeout", &["waitMs", "timeoutMs", "timeoutSec"]);
        assert!(
            limit.starts_with("did you mean `timeoutSec`?") && limit.ends_with("in seconds"),
            "{limit}"
        );
        let wait = hint("wait", "timeout", &["timeoutMs"]);
        assert_eq!(wait, "did you mean `timeoutMs`?");
        let grep = hint("log", "pattern", &["grep", "sessionId"]);
        assert_eq!(grep, "did you mean `grep`?");
        let enter = hint("write", "enter", &["data", "submit"]);
        assert_eq!(enter, "did you mean `submit`?");
        let keys = hint("send_keys", "text", &["keys", "sessionId"]);
        assert!(keys.starts_with("did you mean `keys`?"), "{keys}");
        for (action, theirs, ours, known) in [
            ("poll", "timeoutMs", "waitMs", &["sessionId", "waitMs"]),
            ("wait", "timeout", "waitMs", &["timeoutMs", "waitMs"]),
            ("start", "stdin", "input", &["command", "input"]),
            ("wait", "text", "pattern", &["exit", "pattern"]),
            ("start", "memory", "memoryBytes", &["cpuSec", "memoryBytes"]),
        ] {
            let expected = format!("did you mean `{ours}`?");
            assert_eq!(hint(action, theirs, known), expected, "{theirs}");
        }
        let tail = hint("poll", "tail", &["sessionId", "waitMs"]);
        assert_eq!(tail, "`log` has `tail`");
        let head = hint("log", "toLine", &["fromLine", "grep"]);
        assert!(head.contains("fromLine"), "{head}");
    }

    #[test]
    fn what_others_call_a_status_is_known() {
        let hint = |word: &str, known| {
            let word = word.to_owned();
            explain("list", "status", Fault::Choice { word, known }).hint
        };
        let known = &["running", "done", "error", "killed"];
        let done = Some("did you mean `done`?".to_owned());
        assert_eq!(hint("completed", known), done);
        let ended = hint("finished", known).unwrap();
        assert!(ended.contains("`error`"), "{ended}");
        let other = Some("known: all, stdout".to_owned());
        assert_eq!(hint("finished", &["all", "stdout"]), other);
    }

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
