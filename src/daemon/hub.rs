//! The one place where tasks meet: the state, and what wakes whom.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use tokio::sync::{Notify, oneshot};

use super::state::State;
use crate::engine::Now;
use crate::engine::waits::{Pending, Ticket, Verdict};
use crate::protocol::SessionId;
use crate::sys::clock;

/// Shared by every task of the daemon.
#[derive(Clone)]
pub(super) struct Hub(Rc<Shared>);

struct Shared {
    state: RefCell<State>,
    dirty: Notify,
    clock: Notify,
    keeper: Notify,
    settled: Notify,
    listener: Notify,
    stop: Notify,
}

/// What time it is.
pub(super) fn now() -> Now {
    Now {
        boot: clock::boot_ms(),
        wall: clock::wall(),
    }
}

impl Hub {
    pub(super) fn new(state: State) -> Self {
        Self(Rc::new(Shared {
            state: RefCell::new(state),
            dirty: Notify::new(),
            clock: Notify::new(),
            keeper: Notify::new(),
            settled: Notify::new(),
            listener: Notify::new(),
            stop: Notify::new(),
        }))
    }

    /// The state, until the next await at the latest: there is one thread, so
    /// nobody else has it then (clippy's `await_holding_refcell_ref` watches).
    pub(super) fn state(&self) -> RefMut<'_, State> {
        self.0.state.borrow_mut()
    }

    /// Does something with the state and wakes whoever it concerns.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let next_before = state.timers.next();
        let result = act(&mut state);
        if state.has_dirty() {
            self.0.dirty.notify_one();
        }
        if state.timers.next() != next_before {
            self.0.clock.notify_one();
        }
        if state.keeper.wants_to_send() {
            self.0.keeper.notify_one();
        }
        if state.keeper.has_new_listener() {
            self.0.listener.notify_one();
        }
        if !state.keeper.is_upgrading() {
            self.0.settled.notify_waiters();
        }
        result
    }

    /// Until some session has output to look at.
    pub(super) async fn dirty(&self) {
        self.0.dirty.notified().await;
    }

    /// Until the next deadline is another one.
    pub(super) async fn deadline_changed(&self) {
        self.0.clock.notified().await;
    }

    /// Until something waits to be sent to the keeper.
    pub(super) async fn keeper_has_mail(&self) {
        self.0.keeper.notified().await;
    }

    /// Until the keeper is the program that it is to be.
    pub(super) async fn keeper_settled(&self) {
        while self.state().keeper.is_upgrading() {
            self.0.settled.notified().await;
        }
    }

    /// Until clients come by another socket.
    pub(super) async fn listener_changed(&self) {
        while !self.state().keeper.has_new_listener() {
            self.0.listener.notified().await;
        }
    }

    /// Until the daemon is to end.
    pub(super) async fn stopping(&self) {
        self.0.stop.notified().await;
    }

    /// Ends the daemon once its replies are out.
    pub(super) fn stop(&self) {
        self.0.stop.notify_one();
    }

    /// Waits for a pending wait; dropped, it is forgotten.
    pub(super) async fn wait(&self, pending: Pending) -> Verdict {
        if pending.is_over() {
            return pending.verdict();
        }
        let (sender, receiver) = oneshot::channel();
        let ticket = self.with(|state| state.add_wait(pending, sender));
        let _guard = Forget {
            hub: self.clone(),
            ticket,
        };
        receiver.await.unwrap_or_default()
    }

    /// Until everything that a session had written by now is on its screen.
    pub(super) async fn catch_up(&self, id: &SessionId) {
        let target = self.state().log_end(id);
        loop {
            let behind = self
                .state()
                .registry
                .get(id)
                .is_some_and(|s| s.output.end() < target);
            if !behind {
                return;
            }
            if !self.with(|state| super::render::render_chunk(state, id)) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// Takes a wait out when whoever waited is gone.
struct Forget {
    hub: Hub,
    ticket: Ticket,
}

impl Drop for Forget {
    fn drop(&mut self) {
        // Dropped inside `with` only by a task that ends itself, which none does.
        if let Ok(mut state) = self.hub.0.state.try_borrow_mut() {
            state.forget_wait(self.ticket);
        }
    }
}
