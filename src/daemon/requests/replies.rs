//! Replies that several actions share.

use std::io;

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::daemon::transport::Answer;
use crate::engine::session::Session;
use crate::protocol::{Error, ErrorCode, Status};
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

/// The error for a session that has no process: it has ended, or waits for its turn. Says how it ended, and the end of its
/// output.
pub(crate) fn not_running(session: &Session, output: &str) -> Error {
    let (id, life) = (&session.id, &session.life);
    let (message, hint) = match (life.status(), &session.batch) {
        (Status::Queued, batch) => {
            let why = batch.as_ref().map(|batch| format!(": {}", batch.why()));
            (
                format!("Session {id} does not run yet{}", why.unwrap_or_default()),
                "it takes input and signals once it runs; `wait` returns when it has something to do",
            )
        }
        (_, batch) => (
            format!("Session {id} is not running"),
            match batch {
                Some(_) => "start it again with its launcher, as a session of its own",
                None => "`restart` runs it again under the same id",
            },
        ),
    };
    Error::new(ErrorCode::SessionNotRunning, message)
        .hint(hint)
        .data(serde_json::json!({
            "sessionId": id,
            "status": life.status(),
            "exitCode": life.exit_code(),
            "signal": life.signal().map(signal::name),
            "endedAt": life.ended_at(),
            "output": output,
        }))
}
