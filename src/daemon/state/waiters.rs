//! Clients that wait for conditions on sessions.

use std::collections::HashMap;

use tokio::sync::oneshot;

use super::State;
use crate::daemon::clock::now;
use crate::engine::timers::Due;
use crate::engine::wait_inputs::WaitInputs;
use crate::engine::waits::{Pending, Verdict, WaitId, Waits};
use crate::protocol::SessionId;

/// Pause before a wait is looked at again that is due and cannot be decided yet, in milliseconds.
const LOOK_AGAIN_MS: u64 = 50;

/// The pending waits, and the channels for their verdicts.
#[derive(Default)]
pub(crate) struct Waiters {
    pub(crate) waits: Waits,
    verdicts: HashMap<WaitId, oneshot::Sender<Verdict>>,
}

impl State {
    /// Adds a wait. Its verdict is sent to `sender`.
    pub(crate) fn add_wait(
        &mut self,
        pending: Pending,
        sender: oneshot::Sender<Verdict>,
    ) -> WaitId {
        let wait = self.waiters.waits.add(pending);
        self.waiters.verdicts.insert(wait, sender);
        self.arm_wait(wait);
        let conditions = self.waiters.waits.conditions(wait);
        let wants_input = conditions.is_some_and(|wanted| wanted.wants_input());
        let wants_ports = conditions
            .is_some_and(|wanted| wanted.wants_ready() || wanted.ports().next().is_some());
        for id in self.waiters.waits.undecided(wait) {
            if wants_input {
                self.hurry_input(&id);
            }
            if wants_ports {
                self.await_ports(&id);
            }
        }
        wait
    }

    pub(crate) fn forget_wait(&mut self, wait: WaitId) {
        self.waiters.waits.remove(wait);
        self.waiters.verdicts.remove(&wait);
        self.timers.set(Due::Wait(wait), None);
    }

    /// Sets the timer of a wait.
    fn arm_wait(&mut self, wait: WaitId) {
        let due = self.wait_due(wait);
        self.timers.set(Due::Wait(wait), due);
    }

    /// Arms a wait again that was looked at when its timer expired, and goes on. If it is still due, something else has
    /// to change first, for example the next run of a session that is restarted.
    pub(crate) fn arm_wait_again(&mut self, wait: WaitId) {
        let now = now().boot;
        let due = self.wait_due(wait);
        let due = due.map(|at| if at > now { at } else { now + LOOK_AGAIN_MS });
        self.timers.set(Due::Wait(wait), due);
    }

    fn wait_due(&self, wait: WaitId) -> Option<u64> {
        let registry = &self.sessions.registry;
        let output = |id: &SessionId| Some(&registry.get(id)?.output);
        self.waiters.waits.due(wait, now().boot, output)
    }

    /// Removes decided waits, and sends their verdicts.
    pub(crate) fn resolve(&mut self, over: Vec<WaitId>) {
        for wait in over {
            self.timers.set(Due::Wait(wait), None);
            let pending = self.waiters.waits.remove(wait);
            if let (Some(pending), Some(sender)) = (pending, self.waiters.verdicts.remove(&wait)) {
                // Sending fails if the request was cancelled.
                let _ = sender.send(pending.verdict());
            }
        }
    }

    /// Whether some output of a session has not been rendered yet.
    pub(crate) fn is_behind(&self, id: &SessionId) -> bool {
        let session = self.sessions.get(id);
        session.is_some_and(|session| session.output.end() < self.sessions.log_end(id))
    }

    /// What conditions on a session are compared with. The caller adds what only it knows: the ports, and whether there
    /// is unrendered output that may decide. The process group in the foreground is looked up if `wants_foreground`.
    pub(crate) fn wait_inputs(
        &self,
        id: &SessionId,
        wants_foreground: bool,
    ) -> Option<WaitInputs<'static>> {
        let session = self.sessions.get(id)?;
        let foreground = wants_foreground.then(|| self.sessions.foreground(id));
        Some(WaitInputs {
            restarting: self.restarting.contains_key(id),
            is_skipped: self.is_skipped(id),
            input: session.input_state(),
            listens: session.listens(),
            reads_since: session.input.reads_since(),
            ready: session.ready(),
            is_late: session.is_late(),
            foreground: foreground.flatten(),
            ..WaitInputs::of(session.life.status())
        })
    }

    /// What the waits that are pending are compared with.
    pub(super) fn pending_inputs(&self, id: &SessionId) -> Option<WaitInputs<'static>> {
        self.wait_inputs(id, self.waiters.waits.want_foreground(id))
    }

    /// Checks the waits on a session, after something other than output has changed.
    pub(crate) fn look(&mut self, id: &SessionId) {
        let inputs = self.pending_inputs(id);
        let Some((session, inputs)) = self.sessions.get_mut(id).zip(inputs) else {
            return;
        };
        let over = self
            .waiters
            .waits
            .look(id, &mut session.output, inputs, now().boot);
        let painted = session.output.update_ends_at(now().boot);
        if session.output.awake_screen().is_some() {
            self.rest_later(id);
        }
        self.resolve(over);
        self.touch_project(id);
        // If the program does not end the update that it paints, its screen counts after a moment.
        if let Some(painted) = painted.filter(|_| self.waiters.waits.want_screen(id)) {
            self.timers.set(Due::Painted(id.clone()), Some(painted));
        }
    }
}
