//! Work that is done to its end, also when the client that asked for it cancels the request or goes away.

use std::future::{Future, poll_fn};
use std::task::Poll;

use crate::daemon::panics::contained;
use crate::protocol::Error;

/// Does work that changes something in several steps. If the request ends before it, it goes on in a task of its own.
///
/// The first step is taken at once, so that requests take effect in the order in which they arrived.
///
/// # Errors
///
/// Those of the work, and `internal` if it panicked.
pub(crate) async fn finish_anyway<T: 'static>(
    work: impl Future<Output = Result<T, Error>> + 'static,
) -> Result<T, Error> {
    let mut work = Box::pin(contained(work));
    if let Poll::Ready(result) = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await {
        return result;
    }
    let done = tokio::task::spawn_local(work).await;
    done.map_err(|error| Error::internal(error.to_string()))?
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use tokio::sync::Notify;
    use tokio::task::{LocalSet, spawn_local, yield_now};

    use super::*;

    #[tokio::test]
    async fn work_whose_request_is_cancelled_goes_on() {
        let steps = Rc::new(Cell::new(0));
        let (goes_on, is_over) = (Rc::new(Notify::new()), Rc::new(Notify::new()));
        let local = LocalSet::new();
        local
            .run_until(async {
                let (counted, wait, over) = (steps.clone(), goes_on.clone(), is_over.clone());
                let request = spawn_local(finish_anyway(async move {
                    counted.set(1);
                    wait.notified().await;
                    counted.set(2);
                    over.notify_one();
                    Ok(())
                }));
                while steps.get() == 0 {
                    yield_now().await;
                }
                request.abort();
                assert!(request.await.unwrap_err().is_cancelled());
                goes_on.notify_one();
                is_over.notified().await;
            })
            .await;
        assert_eq!(steps.get(), 2);
    }

    #[tokio::test]
    async fn the_first_step_is_taken_at_once() {
        let steps = Rc::new(Cell::new(0));
        let counted = steps.clone();
        let work = finish_anyway(async move {
            counted.set(1);
            Ok(7)
        });
        // Without a `LocalSet` there is no task to be had.
        assert_eq!(work.await.unwrap(), 7);
        assert_eq!(steps.get(), 1);
    }
}
