//! The end of a run, the end of a session, and its removal.

use serde_json::json;
use tokio::sync::oneshot;

use super::State;
use crate::daemon::clock::now;
use crate::engine::life::Actor;
use crate::engine::wait_inputs::WaitInputs;
use crate::protocol::keeper::Exit;
use crate::protocol::{EventKind, SessionId, Status};
use crate::sys::signal;

impl State {
    /// Handles the end of a session's first process, after its output has been rendered.
    pub(crate) fn finish(&mut self, id: &SessionId, exit: &Exit) {
        let now = now();
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let signal = exit.signal.map(signal::name);
        session
            .life
            .ended(exit, signal, &session.spec.ok_codes, now);
        self.batch_verdict(id);
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        tracing::debug!(session = %id, status = session.life.status().as_str(), "ended");
        if let Some(io) = self.sessions.io_mut(id) {
            io.ended(exit);
        }
        self.usage.forget(id);
        // What a person typed last may have ended the program; it answers what was asked.
        let input = self.sessions.io(id).and_then(|io| io.input.as_ref());
        if let Some(typed) = input.map(|input| input.take_notes()) {
            self.record_typed(id, typed);
        }
        self.release_keyboard(id);
        self.forget_asks(id);
        if let Some(limit) = &exit.limit {
            let session = self.sessions.get(id);
            let reason = session
                .and_then(|session| session.life.reason())
                .map(str::to_owned);
            self.publish(
                EventKind::Limit,
                id,
                json!({ "limit": limit, "reason": reason }),
            );
        }
        self.run_over(id);
    }

    /// Closes the input of a session that has ended and whose terminal is closed, and lets its screen rest.
    pub(crate) fn release(&mut self, id: &SessionId) {
        let is_over = self
            .sessions
            .get(id)
            .is_some_and(|session| session.life.status().is_finished() && !session.tty_open);
        if let Some(io) = self.sessions.io_mut(id).filter(|_| is_over) {
            io.input = None;
            io.log.set_growing(false);
            self.log_may_be_cut();
            self.rest_ended(id);
        }
        self.arm(id);
    }

    /// Removes a session and its files. Returns a receiver that fires when the files are gone, or `None` if
    /// there is no such session.
    pub(crate) fn remove(
        &mut self,
        id: &SessionId,
        by: Option<&Actor>,
    ) -> Option<oneshot::Receiver<()>> {
        let project = self.project_of(id);
        self.forget_asks(id);
        self.remove_batch_files(id);
        self.job_lets_go(id);
        let mut session = self.sessions.registry.remove(id, now())?;
        self.arm(id);
        self.arm_input(id);
        self.forget_record(id);
        let mut data = json!({ "label": session.spec.label });
        if let Some(project) = project {
            data["project"] = json!(project);
        }
        // Absent if its time was over.
        if let Some(by) = by {
            data["by"] = json!(by.ended_by());
        }
        self.events
            .publish(EventKind::Removed, &session.scope, id, data);
        self.events.bus.set_shared(id, false);
        // Decide the waits on it now: nothing will happen to the session any more.
        let over = self.waiters.waits.look(
            id,
            &mut session.output,
            WaitInputs::of(Status::Lost),
            now().boot,
        );
        self.resolve(over);
        for watcher in self
            .sessions
            .io
            .remove(id)
            .map_or_else(Vec::new, |io| io.watchers)
        {
            watcher.notify_one();
        }
        self.restarting.remove(id);
        self.keeper.give_up(id);
        // The keeper may still be writing to the directory, so the directory is removed only when the keeper
        // answers `Forgotten`.
        self.sessions.store.remove_meta(id);
        self.input_logs.close(&self.sessions.store.dir(id));
        self.tombstone_file
            .add(id, &self.sessions.registry.tombstones);
        self.give_back_later();
        Some(self.keeper.forget(id))
    }
}
