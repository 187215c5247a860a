//! What a panic does: a request that panics is answered, and any other panic of the event loop ends the daemon.
//!
//! A panic is a fault of bgproc. The task that it ends cannot be started again, and nothing would say that keys, timers
//! or projects are not served any more. The keeper starts a new daemon within milliseconds, which takes over from the
//! disk what is true; so the daemon that is in doubt ends. What clients ask is the exception: the same request may
//! come again and again.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::panic::{self, AssertUnwindSafe};
use std::pin::pin;
use std::process;
use std::task::Poll;
use std::thread;

use crate::protocol::Error;
use crate::term::screen::contains_panic;

/// Exit code of a daemon that ends by a panic, as of any Rust program.
const PANICKED: i32 = 101;

thread_local! {
    /// Whether a panic on this thread would be caught by [`contained`].
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Decides from now on what panics do. Called by the thread of the event loop.
///
/// Other threads are joined by those who have started them, and screens catch what hostile output does to the emulator:
/// any number of panics, which are reported for the session.
pub(crate) fn install_hook() {
    let event_loop = thread::current().id();
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if contains_panic() {
            return;
        }
        tell(info);
        tracing::error!("{info}");
        if thread::current().id() == event_loop && !CONTAINED.get() {
            process::exit(PANICKED);
        }
    }));
}

/// Work for a client, which fails if it panics.
///
/// # Errors
///
/// Its own, and `internal` after a panic.
pub(crate) async fn contained<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let mut work = pin!(work);
    poll_fn(|context| {
        let before = CONTAINED.replace(true);
        let polled = panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        CONTAINED.set(before);
        // After a panic it is not polled again.
        polled.unwrap_or_else(|_| Poll::Ready(Err(panicked())))
    })
    .await
}

/// The error of work that has panicked.
pub(crate) fn panicked() -> Error {
    Error::internal("a fault of bgproc has ended this request")
        .hint("`bgproc daemon logs` has the place; please report it")
}
