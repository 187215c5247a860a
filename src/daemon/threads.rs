//! Work that may block for long, on a thread of its own: files on a slow disk, a look at all processes, a picture.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use super::panics::panicked;
use crate::protocol::Error;

/// Does `work` on a thread with this name. If the request is cancelled, it goes on.
///
/// If the system allows no more threads, it is done here: it only takes time. (Tokio's `spawn_blocking` panics then.)
///
/// # Errors
///
/// `internal` if it panicked.
pub(crate) async fn run<T: Send + 'static>(
    name: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    // A thread that cannot be started drops its closure, so the work is shared with it.
    let ours = Arc::new(Mutex::new(Some(work)));
    let theirs = ours.clone();
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (end, ended) = oneshot::channel::<()>();
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(move || {
        // Dropped at the end, also by a panic.
        let _end = end;
        let work = take(&theirs);
        work.map(|work| work())
    });
    let done = match spawned {
        Ok(thread) => {
            let _ = ended.await;
            // Then it does not count any more for the limit of processes when the next job is started.
            thread.join().unwrap_or_default()
        }
        Err(error) => {
            tracing::debug!(%error, name, "no thread can be started");
            take(&ours).map(|work| work())
        }
    };
    done.ok_or_else(panicked)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::protocol::ErrorCode;

    #[tokio::test]
    async fn work_that_panics_is_an_error() {
        assert_eq!(run("fine", || 7).await.unwrap(), 7);
        let error = run("bad", || -> u32 { panic!("as it must") }).await;
        assert_eq!(error.unwrap_err().code, ErrorCode::Internal);
    }
}
