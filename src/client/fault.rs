//! The errors of a connection.

use std::io::ErrorKind;

use crate::protocol::{Error, ErrorCode};

/// The connection broke, or the daemon did not answer in time.
pub(super) fn lost(error: std::io::Error) -> Error {
    let message = match error.kind() {
        ErrorKind::WouldBlock => "the daemon does not answer".to_owned(),
        _ => format!("the connection to the daemon broke: {error}"),
    };
    Error::new(ErrorCode::DaemonUnavailable, message)
}

/// The daemon closed the connection.
pub(super) fn gone() -> Error {
    Error::new(
        ErrorCode::DaemonUnavailable,
        "the daemon closed the connection",
    )
    .hint("jobs continue; connect again")
}

/// The daemon sent what cannot be read.
pub(super) fn internal(error: serde_json::Error) -> Error {
    Error::internal(format!(
        "the daemon sent a message that this version cannot read: {error}"
    ))
}
