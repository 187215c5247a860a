//! Errors as a client sees them: a code for programs, words for readers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::HeldBy;
use super::{SessionId, Status, Timestamp};

/// What kind of trouble it is. Codes are never renamed or reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No such session in this scope.
    SessionNotFound,
    /// It was there once; `data` says how it ended.
    SessionRemoved,
    /// It has ended; `data` says how, with the last of its output.
    SessionNotRunning,
    /// Its standard input is closed.
    StdinNotAvailable,
    /// A person is typing into it.
    InputHeld,
    /// No key has this name.
    InvalidKey,
    /// The action needs a PTY and the session has pipes.
    NotATty,
    /// The command could not be started; no session was made.
    SpawnFailed,
    /// This client may not do that.
    PermissionDenied,
    /// A limit is reached; `data` says which and its value.
    LimitExceeded,
    /// The request is larger than the protocol allows.
    TooLarge,
    /// The request was cancelled.
    Cancelled,
    /// The disk has no room.
    DiskFull,
    /// Known, and not built into this version.
    Unsupported,
    /// The other side speaks another version.
    IncompatibleVersion,
    /// The line is not JSON.
    ParseError,
    /// The request makes no sense as a whole.
    InvalidRequest,
    /// No action has this name.
    UnknownAction,
    /// A parameter is unknown, missing or of the wrong type.
    InvalidParams,
    /// The daemon cannot be reached.
    DaemonUnavailable,
    /// A fault of bgproc itself.
    Internal,
}

/// One error: what failed, why, and what to do next.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// For programs.
    pub code: ErrorCode,
    /// What failed and why, with the object's name.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// WaitInputs that go with the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Error {
    /// An error of `code` that says `message`.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            data: None,
        }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds facts.
    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Adds one more fact.
    #[must_use]
    pub fn add_data(mut self, name: &str, value: Value) -> Self {
        let data = self.data.get_or_insert_with(|| serde_json::json!({}));
        data[name] = value;
        self
    }

    /// A parameter is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// The session is not there, in the same words whether it never was or is another scope's.
    pub fn session_not_found(id: &str) -> Self {
        Self::new(
            ErrorCode::SessionNotFound,
            format!("Session {id} not found"),
        )
        .hint("`list` shows the sessions of this scope")
    }

    /// A person is typing into the session.
    pub fn input_held(id: &SessionId, held: &HeldBy) -> Self {
        let message = format!("Session {id} is held: a person is typing");
        Self::new(ErrorCode::InputHeld, message)
            .hint("nothing was typed; ask again after `until`, or wait for the event `released`")
            .data(serde_json::json!(held))
    }

    /// The session was removed; its tombstone tells how it had ended.
    pub fn session_removed(
        id: &SessionId,
        status: Status,
        exit_code: Option<i32>,
        removed_at: Timestamp,
    ) -> Self {
        Self::new(
            ErrorCode::SessionRemoved,
            format!("Session {id} was removed at {removed_at}"),
        )
        .data(serde_json::json!({
            "status": status, "exitCode": exit_code, "removedAt": removed_at,
        }))
    }

    /// Known and not built yet.
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

    /// A fault of bgproc itself.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }
}
