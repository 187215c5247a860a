//! Work beside that of a command, in a thread that is not joined.

use std::thread::Builder;

use crate::protocol::Error;

/// Starts a thread.
///
/// # Errors
///
/// If the system allows no more (`RLIMIT_NPROC`, which counts the processes of a user who may be about to stop a fork
/// bomb). What can do without the thread ignores it.
pub(crate) fn start(work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let started = Builder::new().spawn(work);
    let refused = |error| Error::internal(format!("a thread could not be started: {error}"));
    started.map(drop).map_err(refused)
}
