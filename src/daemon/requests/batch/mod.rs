//! What clients ask for of the sessions that a batch system runs: to submit one, to reach its node, to cancel it.

pub(crate) mod cancel;
pub(crate) mod reach;
pub(crate) mod resolve;
pub(crate) mod submit;

use crate::daemon::hub::Hub;
use crate::protocol::{Error, ErrorCode, SessionId};

/// A request that is well formed, but has no meaning with this launcher, or without one.
fn senseless(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidRequest, message)
}

/// Refuses what is not possible for a session that a batch system runs or has run: `what` completes "cannot be".
/// `instead` says what to do.
pub(crate) fn refuse(hub: &Hub, id: &SessionId, what: &str, instead: &str) -> Result<(), Error> {
    let state = hub.read();
    let session = state.sessions.get(id);
    let Some(batch) = session.and_then(|session| session.batch.as_ref()) else {
        return Ok(());
    };
    let system = batch.launcher.kind.name();
    let message = format!("session {id} cannot be {what}: it is a job of {system}");
    Err(Error::new(ErrorCode::Unsupported, message).hint(instead))
}
