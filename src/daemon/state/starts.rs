//! Programs that begin to run, or do not.

use std::os::fd::OwnedFd;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::keeper_link::{SpawnFailure, Starting, kill_strays};
use crate::protocol::SessionId;
use crate::protocol::keeper::Kept;
use crate::protocol::record::Mode;

impl State {
    /// It does not run.
    pub(crate) fn spawn_failed(&mut self, id: &SessionId, failure: SpawnFailure) {
        if let Some(spawning) = self.keeper.take_spawning(id) {
            // Nobody is there any more if the request was cancelled.
            let _ = spawning.answer.send(Err(failure));
        }
    }

    /// The keeper is gone: what was about to run when it had that to say runs, with all that is needed to keep it.
    pub(crate) fn complete_starts(&mut self) {
        for (id, Starting { slot, offset, fds }) in self.keeper.take_announced() {
            // There is one at most: another is begun only after the answer to the one before is out.
            let pid = self.keeper.shared_table().announced();
            tracing::info!(session = %id, pid, "it was started by a keeper that is gone");
            self.spawned(&id, slot, pid, offset, fds);
        }
    }

    /// It runs.
    pub(crate) fn spawned(
        &mut self,
        id: &SessionId,
        slot: u32,
        pid: u32,
        offset: u64,
        fds: Vec<OwnedFd>,
    ) {
        self.keeper.take_slot(slot, id);
        let before = self.run_before(id);
        let spawning = self.keeper.take_spawning(id);
        let Some(session) = self.sessions.get_mut(id) else {
            // Removed meanwhile; the keeper has been told to let go of it.
            kill_strays(id);
            return;
        };
        session.life.started(pid, offset, now());
        session.tty_open = true;
        session.stdin_closed = false;
        session.log_degraded = None;
        session.input.begin(now().boot);
        let shown = session.output.shown(&session.scope);
        self.keeper.shared_table().slot(slot).set_shown(shown);
        if let (Some(io), Some(spawning)) = (self.sessions.io_mut(id), &spawning) {
            let spec = spawning.launch.spec.clone();
            let kept = Kept {
                session: id.clone(),
                slot,
                pid,
                exit: None,
                keep: spawning.launch.keep,
                has_input: true,
                has_pidfd: true,
                has_tail: false,
                degraded: None,
                open: match spec.mode {
                    Mode::Pty => vec![0],
                    Mode::Pipe => vec![0, 1],
                },
                on_exit_ran: false,
                spec,
            };
            io.hold(kept, fds, self.keeper.shared_table());
        }
        tracing::debug!(session = %id, pid, "started");
        // Told here and not by whoever asked, so that it comes before its end.
        self.publish_start(id, before);
        self.begin_probe(id);
        self.persist(id);
        self.arm_input(id);
        // From here on the keeper rings when there is output.
        self.render_queue.add(id);
        self.look(id);
        if let Some(spawning) = spawning {
            let _ = spawning.answer.send(Ok(pid));
        }
    }
}
