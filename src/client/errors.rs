//! The errors of a connection.

use std::io::ErrorKind;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::protocol::{Error, ErrorCode};

/// Reads an answer of the daemon.
///
/// # Errors
///
/// `internal` if this version does not understand it.
pub fn read_reply<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    serde_json::from_value(value).map_err(internal)
}

/// Reads the bytes in an answer of the daemon.
///
/// # Errors
///
/// `internal` if they are not base64.
pub fn read_base64(text: &str) -> Result<Vec<u8>, Error> {
    STANDARD
        .decode(text)
        .map_err(|error| Error::internal(format!("the daemon sent what is not base64: {error}")))
}

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
