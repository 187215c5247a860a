//! A session's end, and its next run: by its restart policy, or because somebody
//! asks for one.
//!
//! A session with a policy has ended for good only when that has given up; until
//! then it is `retrying`, and when its next run is due is in `meta.json`.

use std::collections::hash_map::Entry;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::actions::renewed;
use super::driver::Driver;
use super::end_tree::{self, GRACE_MS};
use super::hub::{Hub, now};
use super::starts::{Launch, SpawnFailure};
use super::state::State;
use crate::engine::life::Actor;
use crate::protocol::keeper::{SpawnSpec, ToKeeper};
use crate::protocol::{EventKind, SessionId, Status};
use crate::sys::signal;

/// How long the keeper may take to start something before nobody waits for it.
const START: Duration = Duration::from_secs(5);

/// The pause of a restart policy is over.
pub(super) fn begin(hub: &Hub, id: &SessionId) {
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_local(async move { run_again(&hub, &id).await });
}

async fn run_again(hub: &Hub, id: &SessionId) {
    // Somebody who restarts it by hand is before us.
    let Some(_turn) = Turn::take(hub, id, None) else {
        return;
    };
    // What it has left would be in the way of the next run: it has its port, say.
    let strays = end_tree::begin_strays(hub, id, signal::TERM, GRACE_MS);
    // That some cannot be ended is no reason to leave the job ended.
    let _ = strays.await;
    let Some(started) = hub.with(|state| state.relaunch_by_policy(id)) else {
        return;
    };
    if let Ok(Err(failure)) = started.await {
        hub.with(|state| state.retry_failed(id, &failure.message));
    }
}

/// Sees to it that a session is not run again, by its policy or by somebody's restart: `by` ends it. A run that is
/// being started is there afterwards, or is not. True if the policy was to run it.
pub(super) async fn stop(hub: &Hub, id: &SessionId, by: &Actor) -> bool {
    hub.state().restarting.remove(id);
    let start = hub.state().keeper.start_over(id);
    if let Some(over) = start {
        // Too late to stop that: it runs in a moment, or does not.
        let _ = timeout(START, over).await;
    }
    hub.with(|state| state.stop_retrying(id, Some(by)))
}

/// One restart of a session at a time; dropped, the next one may begin.
pub(super) struct Turn {
    hub: Hub,
    id: SessionId,
}

impl Turn {
    /// For whoever asks for the restart, or its policy; `None` if one is under way.
    pub(super) fn take(hub: &Hub, id: &SessionId, by: Option<Actor>) -> Option<Self> {
        match hub.state().restarting.entry(id.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                free.insert(by);
                Some(Self {
                    hub: hub.clone(),
                    id: id.clone(),
                })
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.hub.with(|state| {
            state.restarting.remove(&self.id);
            // The policy may have been kept from its turn.
            state.registry.arm(&self.id, &mut state.timers);
            // Those who waited for the next run: there may be none.
            state.look(&self.id);
        });
    }
}

impl State {
    /// Asks the keeper for a new run of a session.
    pub(super) fn relaunch(
        &mut self,
        id: &SessionId,
        spec: SpawnSpec,
    ) -> Option<oneshot::Receiver<Result<u32, SpawnFailure>>> {
        let session = self.registry.get(id)?;
        let size = session.output.size();
        let launch = Launch {
            spec,
            rows: size.rows(),
            cols: size.cols(),
            keep: self.log_bytes(session),
        };
        let (sender, receiver) = oneshot::channel();
        self.keeper.spawn(id, launch, sender);
        Some(receiver)
    }

    fn relaunch_by_policy(
        &mut self,
        id: &SessionId,
    ) -> Option<oneshot::Receiver<Result<u32, SpawnFailure>>> {
        let status = self.registry.get(id)?.life.status();
        if status != Status::Retrying || !self.restarting.contains_key(id) {
            return None;
        }
        let Some(spec) = self.drivers.get(id).and_then(Driver::spec).cloned() else {
            self.stop_retrying(id, None);
            return None;
        };
        let wanted = &self.registry.get(id)?.spec;
        let spec = match wanted.changed {
            true => renewed(wanted, spec),
            false => Ok(spec),
        };
        let checked = self.check_descriptors();
        match checked.and(spec) {
            Ok(spec) => self.relaunch(id, spec),
            Err(error) => {
                self.retry_failed(id, &error.message);
                None
            }
        }
    }

    /// A run that the policy wanted could not be started, which is a failure like
    /// any other, unless somebody wants no other run.
    fn retry_failed(&mut self, id: &SessionId, why: &str) {
        let wanted = self.restarting.contains_key(id);
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        session.life.failed_to_start(why, now());
        match wanted {
            true => self.run_over(id),
            false => self.end_for_good(id),
        }
    }

    /// A run has ended: is there to be another one?
    pub(super) fn run_over(&mut self, id: &SessionId) {
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        session.input.end();
        let policy = session.spec.restart;
        if policy.is_some_and(|policy| session.life.retry(policy, now())) {
            tracing::debug!(session = %id, "it is run again in a while");
            self.arm_input(id);
            self.persist(id);
            self.look(id);
            return;
        }
        self.end_for_good(id);
    }

    /// Its policy has nothing more to say about a session that waits for its next
    /// run. True if it did wait.
    pub(super) fn stop_retrying(&mut self, id: &SessionId, by: Option<&Actor>) -> bool {
        let session = self.registry.get_mut(id);
        let stopped = session.is_some_and(|session| session.life.stop_retrying(by));
        if stopped {
            self.end_for_good(id);
        }
        stopped
    }

    /// Nothing more will happen by itself.
    pub(super) fn end_for_good(&mut self, id: &SessionId) {
        let at = now();
        // Ended only to be run again by whoever asked for that.
        let goes_on = self.restarting.contains_key(id);
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        session.touch(at);
        let scope = session.scope.clone();
        if session.spec.on_exit.is_some() && !(goes_on && session.life.status() == Status::Killed) {
            session.life.owe_on_exit();
        }
        self.publish_end(EventKind::Exited, id);
        self.arm_input(id);
        self.persist(id);
        self.run_on_exit(id);
        self.release(id);
        self.look(id);
        for surplus in self.registry.surplus(&scope, at) {
            let _ = self.remove(&surplus);
        }
    }

    /// How the run before ended, for those who are told of the next one.
    pub(super) fn run_before(&self, id: &SessionId) -> Value {
        let life = self.registry.get(id).map(|session| &session.life);
        json!({
            "reason": life.and_then(|life| life.reason()),
            "backoffMs": life.and_then(|life| life.backoff_ms()),
        })
    }

    /// Who removes a session wants nothing more of it. Returns its `onExit`, in case
    /// it cannot be removed.
    pub(super) fn drop_on_exit(&mut self, id: &SessionId) -> Option<String> {
        self.registry.get_mut(id)?.spec.on_exit.take()
    }

    /// It was not removed after all.
    pub(super) fn restore_on_exit(&mut self, id: &SessionId, line: Option<String>) {
        if let Some(session) = self.registry.get_mut(id) {
            session.spec.on_exit = line;
        }
    }

    /// Has the keeper run the `onExit` of a session that has ended for good. The
    /// keeper knows whether it has done so for this run, so it may be asked twice.
    pub(super) fn run_on_exit(&mut self, id: &SessionId) {
        let Some(session) = self.registry.get(id).filter(|s| s.life.owes_on_exit()) else {
            return;
        };
        let driver = self.drivers.get(id);
        let (Some(line), Some(spec)) = (&session.spec.on_exit, driver.and_then(Driver::spec))
        else {
            let why = "bgproc was ended, and its environment is not known any more";
            return self.on_exit_ended(id, Some(why.to_owned()));
        };
        let log = driver
            .map_or_else(Vec::new, |driver| driver.files(self.keeper.shared_table()))
            .pop();
        let log = log.map(|file| file.path);
        let spec = super::on_exit::spec(session, line, spec, log);
        self.keeper.send(&ToKeeper::RunOnExit {
            session: id.clone(),
            spec,
            within_ms: super::on_exit::WITHIN_MS,
        });
    }

    /// The keeper has run an `onExit`, or could not.
    pub(super) fn on_exit_ended(&mut self, id: &SessionId, failure: Option<String>) {
        if let Some(why) = &failure {
            tracing::warn!(session = %id, why, "its onExit failed");
        }
        if let Some(session) = self.registry.get_mut(id) {
            session.life.on_exit_ended(failure);
            self.persist(id);
        }
    }
}
