//! The daemon's errors as people read them: jobs by their names, options by theirs.
//!
//! The daemon speaks to programs: of sessions by their ids, of parameters as the protocol calls them.

use crate::cli::exit::Failure;
use crate::protocol::{Error, ErrorCode, SessionId};

/// Parameters that the command line has an option for.
const OPTIONS: [(&str, &str); 12] = [
    ("`graceMs`", "--grace"),
    ("`timeoutMs`", "--timeout"),
    ("`timeoutSec`", "--timeout"),
    ("`rows`", "--size"),
    ("`cols`", "--size"),
    ("`label`", "--name"),
    ("`group`", "--group"),
    ("`cwd`", "--dir"),
    ("`env`", "--env"),
    ("`signal`", "--signal"),
    ("`scrollback`", "--scrollback"),
    ("`ready.pattern`", "--ready-log"),
];

/// `failure` with the names of jobs; `name` knows some.
pub(crate) fn in_words(failure: Failure, name: impl Fn(&SessionId) -> Option<String>) -> Failure {
    match failure {
        Failure::Refused(error) => Failure::Refused(reworded(error, name)),
        other => other,
    }
}

fn reworded(mut error: Error, name: impl Fn(&SessionId) -> Option<String>) -> Error {
    error.message = named(&error.message, name);
    for (theirs, ours) in OPTIONS {
        error.message = error.message.replace(theirs, ours);
    }
    error.hint = match error.code {
        ErrorCode::SessionNotFound | ErrorCode::SessionRemoved => {
            Some("bgproc ls shows the jobs there are".to_owned())
        }
        // Advice about parameters is for those who write requests.
        _ => error
            .hint
            .filter(|hint| !hint.contains("Ms`") && !hint.contains(":false`")),
    };
    error
}

/// `web is not running` of `Session k3v… is not running`.
fn named(message: &str, name: impl Fn(&SessionId) -> Option<String>) -> String {
    let mut words = Vec::new();
    let mut rest = message.split(' ').peekable();
    while let Some(word) = rest.next() {
        let id = match word {
            "Session" | "session" => rest.peek().and_then(|next| SessionId::parse(next)),
            _ => None,
        };
        match id {
            Some(id) => {
                rest.next();
                words.push(name(&id).unwrap_or_else(|| format!("job {id}")));
            }
            None => words.push(word.to_owned()),
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: ErrorCode, message: &str, hint: &str) -> String {
        let name = |id: &SessionId| (id.as_str() == "k3v900000000").then(|| "web".to_owned());
        let failure = Error::new(code, message).hint(hint).into();
        let failure = in_words(failure, name);
        format!("{failure} | {}", failure.advice().unwrap_or_default())
    }

    #[test]
    fn jobs_and_options_go_by_their_names() {
        for (code, message, hint, expected) in [
            (
                ErrorCode::SessionNotRunning,
                "Session k3v900000000 is not running",
                "x",
                "web is not running | x",
            ),
            (
                ErrorCode::SessionNotFound,
                "Session k3v900000001 not found",
                "`list` shows the sessions of this scope",
                "job k3v900000001 not found | bgproc ls shows the jobs there are",
            ),
            (
                ErrorCode::InvalidParams,
                "`graceMs` is at most 600000 ms, not 7",
                "",
                "--grace is at most 600000 ms, not 7 | ",
            ),
            (
                ErrorCode::InvalidRequest,
                "Session k3v900000000 is running",
                "`kill` it first, or leave out `kill:false`",
                "web is running | ",
            ),
        ] {
            assert_eq!(said(code, message, hint), expected);
        }
    }
}
