//! Ends a session that a batch system runs, or takes it out of the batch system's queue, and waits for its end.

use crate::daemon::hub::Hub;
use crate::daemon::requests::ending::wait_for_exit;
use crate::daemon::tasks::batch::cancel;
use crate::engine::life::Actor;
use crate::protocol::{Error, SessionId};

/// How long to wait for the end: the batch system sends TERM, and KILL after a time of its own (30 s by default).
const END_MS: u64 = 45_000;

/// Cancels the job of a session, and waits for its end.
///
/// # Errors
///
/// `launcher_refused` if the batch system did not cancel it.
pub(crate) async fn cancel(hub: &Hub, id: &SessionId, by: Actor) -> Result<(), Error> {
    cancel::begin(hub, id, by).await?;
    wait_for_exit(hub, id, Some(END_MS)).await;
    Ok(())
}
