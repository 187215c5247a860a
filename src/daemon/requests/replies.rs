//! Replies that several actions share.

use std::io;

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::daemon::transport::Answer;
use crate::engine::session::Session;
use crate::protocol::{Error, ErrorCode};
use crate::sys::signal;

/// Serializes a result.
pub(crate) fn answer(result: impl Serialize) -> Answer {
    to_raw_value(&result)
        .map_err(|error| Error::internal(format!("a result could not be serialized: {error}")))
}

/// The error for an operation that the system refused; `what` says what did not happen.
pub(crate) fn refused_by_system(what: &str, error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::DiskFull,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ErrorCode::PermissionDenied
        }
        _ => ErrorCode::Internal,
    };
    Error::new(code, format!("{what}: {error}"))
}

/// The error for a session that has ended, with how it ended and the end of its output.
pub(crate) fn not_running(session: &Session, output: &str) -> Error {
    let life = &session.life;
    Error::new(
        ErrorCode::SessionNotRunning,
        format!("Session {} is not running", session.id),
    )
    .hint("`restart` runs it again under the same id")
    .data(serde_json::json!({
        "status": life.status(),
        "exitCode": life.exit_code(),
        "signal": life.signal().map(signal::name),
        "endedAt": life.ended_at(),
        "output": output,
    }))
}
