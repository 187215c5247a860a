//! What follows the end of a run: another run by the restart policy, or the end of the session.
//!
//! A session with a policy has ended only when the policy has given up. Until then its status is `retrying`,
//! and the time of its next run is in `meta.json`.

use serde_json::json;
use tokio::sync::oneshot;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::keeper_link::{Launch, SpawnFailure};
use crate::daemon::programs::on_exit;
use crate::daemon::programs::program::renewed;
use crate::daemon::sessions::session_io::SessionIo;
use crate::engine::life::Actor;
use crate::protocol::keeper::{SpawnSpec, ToKeeper};
use crate::protocol::{Error, EventKind, SessionId, Status};
use crate::sys::spawn::Terminal;

impl State {
    /// Asks the keeper for a new run of a session.
    pub(crate) fn relaunch(
        &mut self,
        id: &SessionId,
        spec: SpawnSpec,
    ) -> Option<oneshot::Receiver<Result<u32, SpawnFailure>>> {
        let session = self.sessions.get_mut(id)?;
        // Its program has not reported anything yet.
        session.report = None;
        let reset = session.output.reset_for_next_run();
        let session = self.sessions.get(id)?;
        let size = session.output.size();
        let launch = Launch {
            spec,
            terminal: Terminal {
                rows: size.rows(),
                cols: size.cols(),
                reset,
            },
            keep: self.log_bytes(session),
        };
        let (sender, receiver) = oneshot::channel();
        self.keeper.spawn(id, launch, sender);
        Some(receiver)
    }

    /// Starts the run that the policy of a session has planned, if it is still wanted. `reached`: whether its directory
    /// answers.
    pub(crate) fn relaunch_by_policy(
        &mut self,
        id: &SessionId,
        reached: Result<(), Error>,
    ) -> Option<oneshot::Receiver<Result<u32, SpawnFailure>>> {
        let status = self.sessions.get(id)?.life.status();
        let is_under_way = self.keeper.is_spawning(id);
        if status != Status::Retrying || !self.restarting.contains_key(id) || is_under_way {
            return None;
        }
        let Some(spec) = self.sessions.io(id).and_then(SessionIo::spec).cloned() else {
            self.stop_retrying(id, None);
            return None;
        };
        let wanted = &self.sessions.get(id)?.spec;
        let spec = if wanted.changed {
            renewed(wanted, spec)
        } else {
            Ok(spec)
        };
        let checked = reached.and_then(|()| self.keeper.check_descriptors());
        match checked.and(spec) {
            Ok(spec) => self.relaunch(id, spec),
            Err(error) => {
                self.retry_failed(id, &error.message);
                None
            }
        }
    }

    /// Handles a run of the policy that could not be started. It counts like any other failed run, unless the
    /// restart was cancelled meanwhile.
    pub(crate) fn retry_failed(&mut self, id: &SessionId, why: &str) {
        let wanted = self.restarting.contains_key(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        session.life.failed_to_start(why, now());
        if wanted {
            self.run_over(id)
        } else {
            self.end_for_good(id)
        }
    }

    /// Handles the end of a run: plans another one, or ends the session.
    pub(crate) fn run_over(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        session.input.end();
        let policy = session.spec.restart;
        if policy.is_some_and(|policy| session.life.retry(policy, now())) {
            tracing::debug!(session = %id, "another run is planned");
            let retry_at = session.life.retry_wall(now());
            let data = json!({ "retryAt": retry_at, "retry": session.life.retries() });
            self.publish(EventKind::Retrying, id, data);
            self.arm_input(id);
            self.persist(id);
            self.look(id);
            return;
        }
        self.end_for_good(id);
    }

    /// Stops the restarts of a session that waits for its next run. Returns true if it did wait.
    pub(crate) fn stop_retrying(&mut self, id: &SessionId, by: Option<&Actor>) -> bool {
        let session = self.sessions.get_mut(id);
        let stopped = session.is_some_and(|session| {
            let policy = session.spec.restart;
            session.life.stop_retrying(by, policy)
        });
        if stopped {
            let kind = by.map_or(EventKind::Lost, |_| EventKind::Exited);
            self.end_with(id, |state, _, id| state.publish_end(kind, id));
        }
        stopped
    }

    /// Records that a session does not run again, although somebody has asked for that.
    pub(crate) fn call_off_restart(&mut self, id: &SessionId) {
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.life.run_again(None)) {
            self.persist(id);
            self.touch_full_queues();
        }
    }

    /// Handles the end of a session after which it will not start again by itself.
    pub(crate) fn end_for_good(&mut self, id: &SessionId) {
        self.end_with(id, Self::publish_end);
    }

    /// Handles the end of a session whose run did not begin: its start has failed, or it was stopped before its turn.
    /// That is news also if the end of the run before was the last that was told.
    pub(crate) fn end_without_start(&mut self, id: &SessionId) {
        self.end_with(id, Self::publish_next_end);
    }

    fn end_with(&mut self, id: &SessionId, publish: impl FnOnce(&mut Self, EventKind, &SessionId)) {
        let at = now();
        // `restarting` holds the session if a client ended it only to run it again.
        let is_restarting = self.restarting.contains_key(id);
        let is_removed = self.removing.contains(id);
        let has_environment = self.sessions.io(id).and_then(SessionIo::spec).is_some();
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        // Before a new daemon has filled `restarting`, the record says so.
        let goes_on = is_restarting || session.life.again().is_some();
        session.touch(at);
        let scope = session.scope.clone();
        // It is the end of a run.
        let has_run = !session.life.runs().is_empty() || has_environment;
        let is_only_restarted = goes_on && session.life.status() == Status::Killed;
        if session.spec.on_exit.is_some() && has_run && !is_only_restarted && !is_removed {
            session.life.owe_on_exit();
        }
        publish(self, EventKind::Exited, id);
        self.arm_input(id);
        self.persist(id);
        self.run_on_exit(id);
        self.release(id);
        self.look(id);
        self.touch_full_queues();
        for surplus in self.sessions.registry.surplus(&scope, id, at) {
            // Somebody is about to be told how it ended.
            if !self.waiters.waits.has(&surplus) {
                let _ = self.remove(&surplus, None);
            }
        }
    }

    /// Has the keeper run the `onExit` of a session that has ended. The keeper remembers whether it has done so
    /// for this run, so the request is idempotent.
    pub(crate) fn run_on_exit(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.get(id).filter(|s| s.life.owes_on_exit()) else {
            return;
        };
        let io = self.sessions.io(id);
        let (Some(line), Some(spec)) = (&session.spec.on_exit, io.and_then(SessionIo::spec)) else {
            let why = "bgproc was stopped, and the environment is no longer known";
            return self.on_exit_ended(id, Some(why.to_owned()));
        };
        let log = self.sessions.log_files(id).pop();
        let log = log.map(|file| file.path);
        let spec = on_exit::spec(session, &self.line_shell(session), line, spec, log);
        self.keeper.send(&ToKeeper::RunOnExit {
            session: id.clone(),
            spec,
            within_ms: on_exit::WITHIN_MS,
        });
    }

    /// Records that the keeper has run an `onExit`, or why it could not.
    pub(crate) fn on_exit_ended(&mut self, id: &SessionId, failure: Option<String>) {
        if let Some(why) = &failure {
            tracing::warn!(session = %id, why, "its onExit failed");
        }
        if let Some(session) = self.sessions.get_mut(id) {
            session.life.on_exit_ended(failure);
            self.persist(id);
        }
    }
}
