//! Shared access to the state, and the notification of the tasks that a change concerns.
//!
//! [`Hub::read`] gives `&State`. Every change goes through [`Hub::change`], which afterwards checks which tasks
//! have something to do and notifies them. So no task sleeps past a deadline that a change has set.

mod input_probe;

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use tokio::sync::{Mutex, MutexGuard, Notify, oneshot};
use tokio::time::{Duration, timeout};

use crate::daemon::clock::{now, sleep_until_boot};
use crate::daemon::state::State;
use crate::daemon::state::output::render_chunk;
use crate::engine::conditions::Conditions;
use crate::engine::matcher::Matcher;
use crate::engine::waits::{Pending, Verdict, WaitId};
use crate::protocol::SessionId;
use crate::protocol::condition::WaitMode;
use crate::term::plain::Checkpoint;

/// Longest wait for output that is rendered before something else happens to a session.
const CATCHING_UP: Duration = Duration::from_secs(1);

/// Shared by every task of the daemon.
#[derive(Clone)]
pub(crate) struct Hub(Rc<Shared>);

struct Shared {
    state: RefCell<State>,
    dirty: Notify,
    clock: Notify,
    keeper: Notify,
    settled: Notify,
    listener: Notify,
    projects: Notify,
    schedules: Notify,
    watches: Notify,
    hooks: Notify,
    stop: Notify,
    usage: Mutex<()>,
}

impl Hub {
    pub(crate) fn new(state: State) -> Self {
        Self(Rc::new(Shared {
            state: RefCell::new(state),
            dirty: Notify::new(),
            clock: Notify::new(),
            keeper: Notify::new(),
            settled: Notify::new(),
            listener: Notify::new(),
            projects: Notify::new(),
            schedules: Notify::new(),
            watches: Notify::new(),
            hooks: Notify::new(),
            stop: Notify::new(),
            usage: Mutex::new(()),
        }))
    }

    /// Borrows the state for reading. The borrow must end before the next await, which clippy's
    /// `await_holding_refcell_ref` checks. There is one thread, so no other task holds the state before then.
    pub(crate) fn read(&self) -> Ref<'_, State> {
        self.0.state.borrow()
    }

    /// Changes the state and notifies the tasks that the change concerns.
    pub(crate) fn change<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.0.state.borrow_mut();
        let next_before = state.timers.next();
        let result = act(&mut state);
        state.keep_refused_events();
        if state.render_queue.has_work() {
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
        if state.projects.has_due() {
            self.0.projects.notify_one();
        }
        if state.projects.has_new_times() {
            self.0.schedules.notify_one();
        }
        if !state.hooks.is_empty() {
            self.0.hooks.notify_one();
        }
        if state.projects.has_new_watches() {
            self.0.watches.notify_one();
        }
        if !state.keeper.is_upgrading() {
            self.0.settled.notify_waiters();
        }
        result
    }

    /// Waits until a session has output to render.
    pub(crate) async fn dirty(&self) {
        self.0.dirty.notified().await;
    }

    /// Waits until the next deadline changes.
    pub(crate) async fn deadline_changed(&self) {
        self.0.clock.notified().await;
    }

    /// Waits until a message is queued for the keeper.
    pub(crate) async fn keeper_has_mail(&self) {
        self.0.keeper.notified().await;
    }

    /// Waits until no upgrade of the keeper is pending.
    pub(crate) async fn keeper_settled(&self) {
        while self.read().keeper.is_upgrading() {
            self.0.settled.notified().await;
        }
    }

    /// Waits until the listening socket is replaced.
    pub(crate) async fn listener_changed(&self) {
        while !self.read().keeper.has_new_listener() {
            self.0.listener.notified().await;
        }
    }

    /// Waits until a project is marked.
    pub(crate) async fn projects_due(&self) {
        self.0.projects.notified().await;
    }

    /// Waits until a schedule begins or ends.
    pub(crate) async fn schedules_changed(&self) {
        self.0.schedules.notified().await;
    }

    /// Waits until other files are to be watched.
    pub(crate) async fn watches_changed(&self) {
        self.0.watches.notified().await;
    }

    /// Waits until a shell line is to be run.
    pub(crate) async fn hooks_due(&self) {
        self.0.hooks.notified().await;
    }

    /// Waits until the daemon is told to stop.
    pub(crate) async fn stopping(&self) {
        self.0.stop.notified().await;
    }

    /// Stops the daemon once its replies are sent.
    pub(crate) fn stop(&self) {
        self.0.stop.notify_one();
    }

    /// Waits until no other request looks at the processes of all sessions.
    pub(crate) async fn usage_turn(&self) -> MutexGuard<'_, ()> {
        self.0.usage.lock().await
    }

    /// Waits for a verdict. Dropping the future removes the wait.
    pub(crate) async fn wait(&self, pending: Pending) -> Verdict {
        if pending.is_over() {
            return pending.verdict();
        }
        let (sender, receiver) = oneshot::channel();
        let wait = self.change(|state| state.add_wait(pending, sender));
        let _guard = Forget {
            hub: self.clone(),
            wait,
        };
        receiver.await.unwrap_or_default()
    }

    /// Waits for conditions on a session as it is now and as it goes on, at most `within` milliseconds. Earlier
    /// output is not searched.
    pub(crate) async fn wait_from_now(
        &self,
        id: &SessionId,
        conditions: Conditions,
        within: Option<u64>,
    ) {
        let began = now().boot;
        let pending = self.change(|state| {
            let inputs = state.wait_inputs(id, conditions.wants_foreground())?;
            let session = state.sessions.get_mut(id)?;
            let at = Checkpoint::at(session.output.end());
            let layout = session.output.layout();
            let mut matcher = Matcher::new(Rc::new(conditions), layout, at, began);
            let decision = matcher.look(&mut session.output, inputs, began);
            let parts = vec![(id.clone(), matcher, decision)];
            let deadline = within.map(|ms| began + ms);
            Some(Pending::new(WaitMode::Any, parts, deadline))
        });
        if let Some(pending) = pending {
            self.wait(pending).await;
        }
    }

    /// Renders until everything that a session had written by now is on its screen.
    pub(crate) async fn catch_up(&self, id: &SessionId) {
        let target = self.read().sessions.log_end(id);
        let rendered = || self.read().sessions.get(id).map(|s| s.output.end());
        while rendered().is_some_and(|end| end < target) {
            if !self.change(|state| render_chunk(state, id)) {
                return;
            }
            let next = {
                let state = self.read();
                let io = state.sessions.io(id);
                io.and_then(|io| io.next_try(now().boot))
            };
            match next {
                // It cannot be read yet.
                Some(at) => sleep_until_boot(Some(at)).await,
                None => tokio::task::yield_now().await,
            }
        }
    }

    /// [`catch_up`](Self::catch_up) before what a session has written is dropped or followed by a next run: then it is
    /// known how its program has left the terminal. After a flood nobody waits for all of it.
    pub(crate) async fn catch_up_within_limit(&self, id: &SessionId) {
        let _ = timeout(CATCHING_UP, self.catch_up(id)).await;
    }
}

/// Removes a wait when its future is dropped.
struct Forget {
    hub: Hub,
    wait: WaitId,
}

impl Drop for Forget {
    fn drop(&mut self) {
        // The borrow fails if a task that aborts itself drops this inside `change`; no task does that.
        if self.hub.0.state.try_borrow_mut().is_ok() {
            self.hub.change(|state| state.forget_wait(self.wait));
        }
    }
}
