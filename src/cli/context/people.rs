//! Rewords errors of the daemon for people: jobs by their names, parameters by the options that set them.
//!
//! The daemon writes its errors for programs: with session ids, and parameters as the protocol names them.

use crate::cli::exit::Failure;
use crate::protocol::shell::quote;
use crate::protocol::{Error, ErrorCode, SessionId};

/// Parameters of the protocol and the option that sets each.
const OPTIONS: [(&str, &str); 15] = [
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
    ("`after`", "--after"),
    ("`restart`", "--restart"),
    (
        "a session that a batch system runs",
        "a job of a batch system",
    ),
];

/// What the command line has no option for, and what has it instead.
const EXTRA: (&str, &str) = (
    "`resources.extra`",
    "`options` of a launcher in config.toml",
);

/// The part of a hint that is about the action `wait`, which means another thing than the verb.
const WAIT: &str = "; `wait` returns when it has something to do";

/// Parts of hints about requests of the protocol.
const FOR_AUTHORS: [&str; 3] = ["Ms`", ":false`", "`poll`"];

/// Rewords `failure`. `name` returns the name of a job, or `None` if it does not know the id. `again` is what means the
/// job in a command, if [`to_restart`] says that one is proposed.
pub(crate) fn in_words(
    failure: Failure,
    name: impl Fn(&SessionId) -> Option<String>,
    again: Option<String>,
) -> Failure {
    match failure {
        Failure::Refused(error) => Failure::Refused(reworded(error, name, again)),
        other => other,
    }
}

/// The job that does not run and that the hint of `failure` proposes to restart.
pub(crate) fn to_restart(failure: &Failure) -> Option<SessionId> {
    let Failure::Refused(error) = failure else {
        return None;
    };
    let is_proposed = error.hint.as_ref()?.starts_with("`restart` ");
    not_running(error).filter(|_| is_proposed)
}

fn reworded(
    mut error: Error,
    name: impl Fn(&SessionId) -> Option<String>,
    again: Option<String>,
) -> Error {
    error.message = with_names(&error.message, name);
    for (theirs, ours) in OPTIONS.into_iter().chain([EXTRA]) {
        error.message = error.message.replace(theirs, ours);
    }
    error.hint = match (error.code, again) {
        (_, Some(job)) => Some(format!("bgproc restart {} runs it again", quote(&job))),
        (ErrorCode::SessionNotFound | ErrorCode::SessionRemoved, None) => {
            // A project's own jobs are better advice than all jobs.
            let own = error.hint.filter(|hint| !hint.contains("`list`"));
            own.or_else(|| Some("bgproc ls lists the jobs".to_owned()))
        }
        // Hints about parameters are for authors of requests, so they are dropped.
        _ => error
            .hint
            .filter(|hint| !FOR_AUTHORS.iter().any(|part| hint.contains(part)))
            .map(|hint| hint.replace(EXTRA.0, EXTRA.1).replace(WAIT, "")),
    };
    error
}

/// The session that does not run, if the error is about that.
fn not_running(error: &Error) -> Option<SessionId> {
    let data = error
        .data
        .as_ref()
        .filter(|_| error.code == ErrorCode::SessionNotRunning)?;
    SessionId::parse_any(data["sessionId"].as_str()?)
}

/// Turns `Session k3v… is not running` into `web is not running`.
fn with_names(message: &str, name: impl Fn(&SessionId) -> Option<String>) -> String {
    let mut words = Vec::new();
    let mut rest = message.split(' ').peekable();
    while let Some(word) = rest.next() {
        let id = match word {
            "Session" | "session" => rest.peek().and_then(|next| SessionId::parse_any(next)),
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
        let name = |id: &SessionId| match id.as_str() {
            "k3v900000000" => Some("web".to_owned()),
            "k3v900000000@gpu1" => Some("web@gpu1".to_owned()),
            _ => None,
        };
        let host = if message.contains('@') { "@gpu1" } else { "" };
        let data = serde_json::json!({ "sessionId": format!("k3v900000000{host}") });
        let error = Error::new(code, message).hint(hint).data(data);
        let failure = Failure::from(error);
        let again = to_restart(&failure).map(|id| match id.host() {
            Some(_) => "web@gpu1".to_owned(),
            None => "shop/web".to_owned(),
        });
        let failure = in_words(failure, name, again);
        format!("{failure} | {}", failure.hint_text().unwrap_or_default())
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
                ErrorCode::SessionNotRunning,
                "Session k3v900000000 is not running",
                "`restart` runs it again under the same id",
                "web is not running | bgproc restart shop/web runs it again",
            ),
            (
                ErrorCode::SessionNotRunning,
                "Session k3v900000000@gpu1 is not running",
                "`restart` runs it again under the same id",
                "web@gpu1 is not running | bgproc restart web@gpu1 runs it again",
            ),
            (
                ErrorCode::SessionNotRunning,
                "Session k3v900000000 does not run yet: Resources",
                "it takes input and signals once it runs; `wait` returns when it has something to do",
                "web does not run yet: Resources | it takes input and signals once it runs",
            ),
            (
                ErrorCode::SessionNotFound,
                "Session k3v900000001 not found",
                "`list` shows the sessions of this scope",
                "job k3v900000001 not found | bgproc ls lists the jobs",
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
