//! The order of what a client types on a host, also while connections break.

use std::cell::Cell;

use tokio::sync::{Mutex, MutexGuard};

/// What a client types into the sessions of one host.
///
/// Keys depend on those before them: `rm -rf x` without its second word is another command. So inputs are handed over
/// in the order in which they arrived, and an input that is lost takes those with it that have arrived before its client
/// could know.
#[derive(Default)]
pub(crate) struct Typing {
    turn: Mutex<()>,
    /// Number of inputs that were lost.
    losses: Cell<u64>,
}

/// The turn of one input: later ones wait until it is dropped.
pub(super) struct Turn<'a> {
    typing: &'a Typing,
    losses: u64,
    _guard: MutexGuard<'a, ()>,
}

impl Typing {
    /// Waits until all earlier inputs are on their way, or lost.
    pub(super) async fn turn(&self) -> Turn<'_> {
        let losses = self.losses.get();
        let guard = self.turn.lock().await;
        Turn {
            typing: self,
            losses,
            _guard: guard,
        }
    }

    /// Notes that an input is lost, before its client is told.
    pub(super) fn lose(&self) {
        self.losses.set(self.losses.get() + 1);
    }
}

impl Turn<'_> {
    /// Whether an earlier input was lost after this one had arrived.
    pub(super) fn is_void(&self) -> bool {
        self.typing.losses.get() != self.losses
    }
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_lost_input_takes_those_with_it_that_wait_behind_it() {
        let typing = Typing::default();
        let mut first = pin!(typing.turn());
        let Poll::Ready(turn) = poll(first.as_mut()) else {
            panic!("nothing was typed before");
        };
        let (mut second, mut third) = (pin!(typing.turn()), pin!(typing.turn()));
        assert!(poll(second.as_mut()).is_pending());
        assert!(poll(third.as_mut()).is_pending());
        // It is handed over, and then lost.
        assert!(!turn.is_void());
        drop(turn);
        let Poll::Ready(turn) = poll(second.as_mut()) else {
            panic!("it is its turn");
        };
        assert!(!turn.is_void());
        typing.lose();
        assert!(turn.is_void());
        drop(turn);
        assert!(matches!(poll(third.as_mut()), Poll::Ready(turn) if turn.is_void()));
        // Whoever types later has been told.
        let mut later = pin!(typing.turn());
        assert!(matches!(poll(later.as_mut()), Poll::Ready(turn) if !turn.is_void()));
    }
}
