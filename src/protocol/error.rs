//! Errors as clients see them: a code for programs and a message for readers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::HeldBy;
use super::{SessionId, Status, Timestamp};

/// Kind of error. Codes are never renamed or reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No such session in this scope.
    SessionNotFound,
    /// The session was removed; `data` says how it had ended.
    SessionRemoved,
    /// The session has ended; `data` says how, with the end of its output.
    SessionNotRunning,
    /// The session's standard input is closed.
    StdinNotAvailable,
    /// A person is typing into the session.
    InputHeld,
    /// The session is not at a shell that takes a command.
    NoShell,
    /// There is no key with this name.
    InvalidKey,
    /// The action needs a PTY, but the session has pipes.
    NotATty,
    /// The command could not be started. No session was created.
    SpawnFailed,
    /// This client may not perform the action.
    PermissionDenied,
    /// A limit is reached; `data` has its name and value.
    LimitExceeded,
    /// The request is larger than the protocol allows.
    TooLarge,
    /// The request was cancelled.
    Cancelled,
    /// The disk is full.
    DiskFull,
    /// Known, but not built into this version.
    Unsupported,
    /// The peer speaks another version of the protocol.
    IncompatibleVersion,
    /// The line is not JSON.
    ParseError,
    /// The request is not valid as a whole.
    InvalidRequest,
    /// There is no action with this name.
    UnknownAction,
    /// A parameter is unknown, missing or of the wrong type.
    InvalidParams,
    /// There is no project file here.
    ProjectNotFound,
    /// The project file is invalid; `data.faults` says where and why.
    InvalidProject,
    /// The daemon cannot be reached.
    DaemonUnavailable,
    /// There is no host with this name.
    HostUnknown,
    /// The host cannot be reached now. Its sessions go on.
    HostUnreachable,
    /// The host asks for a password, a code or a passphrase, which only a person can give.
    AuthRequired,
    /// The key of the host is not known, or has changed.
    HostKeyUnknown,
    /// There is no bgproc on the host, or one that is too old; `data` has `arch` and `libc`.
    HostNotInstalled,
    /// A batch system did not take a job, or did not carry out what it was asked; `data.stderr` has its words.
    LauncherRefused,
    /// An internal error of bgproc.
    Internal,
}

impl ErrorCode {
    /// Whether there is no such session, or not any more.
    pub fn is_gone(self) -> bool {
        matches!(self, Self::SessionNotFound | Self::SessionRemoved)
    }
}

/// An error: what failed, why, and what to do next.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Code for programs.
    pub code: ErrorCode,
    /// What failed and why, with the object's name.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Values that belong to the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Maximum number of characters of a message: the mistakes of a project file are the longest that are wanted.
const MAX_MESSAGE: usize = 4000;

/// The text with at most `most` characters, and a sign if more was there.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// A message with at most [`MAX_MESSAGE`] characters. Of a list of mistakes the last line is kept, which may say how
/// many more there are, and the lines before it are whole.
fn bounded(message: String) -> String {
    if message.chars().count() <= MAX_MESSAGE {
        return message;
    }
    let lines: Vec<&str> = message.lines().collect();
    let Some((last, lines)) = lines.split_last() else {
        return cut(message, MAX_MESSAGE);
    };
    let length = |line: &str| line.chars().count() + 1;
    let mut room = MAX_MESSAGE.saturating_sub(length(last) + length("[9999 lines are left out]"));
    let fits = |line: &&&str| {
        let left = room.checked_sub(length(line));
        room = left.unwrap_or(room);
        left.is_some()
    };
    let shown: Vec<&str> = lines.iter().take_while(fits).copied().collect();
    match (shown.len(), lines.len() - shown.len()) {
        (0, _) => cut(message, MAX_MESSAGE),
        (_, 1) => format!("{}\n[1 line is left out]\n{last}", shown.join("\n")),
        (_, out) => format!("{}\n[{out} lines are left out]\n{last}", shown.join("\n")),
    }
}

impl Error {
    /// Creates an error with this code and message. A message may quote a request, so it has at most 4,000
    /// characters.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: bounded(message.into()),
            hint: None,
            data: None,
        }
    }

    /// Sets what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the data.
    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Adds one value to the data.
    #[must_use]
    pub fn add_data(mut self, name: &str, value: Value) -> Self {
        let data = self.data.get_or_insert_with(|| serde_json::json!({}));
        data[name] = value;
        self
    }

    /// A parameter is invalid.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// The session does not exist, or belongs to another scope. The message is the same in both
    /// cases.
    pub fn session_not_found(id: &str) -> Self {
        Self::new(
            ErrorCode::SessionNotFound,
            format!("Session {id} not found"),
        )
        .hint("`list` shows the sessions of this scope, and those that a person has shared (`bgproc share`)")
    }

    /// A person is typing into the session, for `ms` milliseconds more if they type nothing else.
    pub fn input_held(id: &SessionId, held: &HeldBy, ms: u64) -> Self {
        let message = format!("Session {id} is held: a person is typing");
        let seconds = ms.div_ceil(1000);
        Self::new(ErrorCode::InputHeld, message)
            .hint(format!(
                "nothing was typed; free in {seconds} s at the latest unless the person types on; try again then \
                 (with `--serve`, the event `released` says when)"
            ))
            .data(serde_json::json!(held))
    }

    /// The session was removed. Its tombstone says how it had ended.
    pub fn session_removed(
        id: impl std::fmt::Display,
        status: Status,
        exit_code: Option<i32>,
        signal: Option<&str>,
        removed_at: Timestamp,
    ) -> Self {
        Self::new(
            ErrorCode::SessionRemoved,
            format!("Session {id} was removed at {removed_at}"),
        )
        .data(serde_json::json!({
            "status": status, "exitCode": exit_code, "signal": signal, "removedAt": removed_at,
        }))
    }

    /// The action or option is known, but not built yet.
    pub fn unsupported(what: impl std::fmt::Display) -> Self {
        Self::new(
            ErrorCode::Unsupported,
            format!("{what} is not supported by bgproc {}", super::VERSION),
        )
    }

    /// A limit is reached.
    pub fn limit(message: impl Into<String>, name: &str, limit: u64, current: u64) -> Self {
        Self::new(ErrorCode::LimitExceeded, message)
            .data(serde_json::json!({ "name": name, "limit": limit, "current": current }))
    }

    /// An internal error of bgproc.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_keeps_whole_lines_and_the_last_one() {
        let line = |n: usize| format!("bgproc.toml:{n}: {}", "x".repeat(380));
        let mut lines: Vec<String> = (0..20).map(line).collect();
        lines.push("bgproc.toml: 7 more mistakes are not shown".to_owned());
        let error = Error::invalid(lines.join("\n"));
        assert!(error.message.chars().count() <= MAX_MESSAGE);
        let shown: Vec<&str> = error.message.lines().collect();
        assert_eq!(shown[..9], lines[..9]);
        let end = ["[11 lines are left out]", &lines[20]];
        assert_eq!(shown[9..], end, "{}", error.message);
    }

    #[test]
    fn a_long_line_is_cut() {
        let error = Error::invalid("x".repeat(5000));
        assert_eq!(error.message.chars().count(), MAX_MESSAGE + 1);
        let lines = Error::invalid(format!("{}\nlast", "x".repeat(5000)));
        assert_eq!(lines.message.chars().count(), MAX_MESSAGE + 1);
    }
}
