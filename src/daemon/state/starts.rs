//! Starts of programs, and their failures.

use std::os::fd::OwnedFd;
use std::path::Path;

use super::State;
use super::publish::RunBefore;
use crate::daemon::clock::now;
use crate::daemon::keeper_link::{Launch, SpawnFailure, Starting, kill_strays};
use crate::daemon::programs::interpreter;
use crate::engine::session::Session;
use crate::protocol::SessionId;
use crate::protocol::cause::Cause;
use crate::protocol::keeper::Kept;
use crate::protocol::status::Mode;

/// Number of ENOENT on Linux; see errno(3).
const NOENT: i32 = 2;

impl State {
    /// Reports that a program could not be started.
    pub(crate) fn spawn_failed(&mut self, id: &SessionId, mut failure: SpawnFailure) {
        if let Some(spawning) = self.keeper.take_spawning(id) {
            let program = spawning.launch.spec.program;
            if failure.errno == Some(NOENT)
                && let Some(why) = interpreter::missing(Path::new(&program))
            {
                failure.message = why;
            }
            failure.program = Some(program);
            // Sending fails if the request was cancelled.
            let _ = spawning.answer.send(Err(failure));
        }
    }

    /// Whether a session's program has not had the input of its start. From now on it counts as typed.
    pub(crate) fn take_owed_input(&mut self, id: &SessionId) -> bool {
        let Some(session) = self.sessions.get_mut(id).filter(|s| s.owes_input()) else {
            return false;
        };
        session.input_owed = false;
        self.persist(id);
        true
    }

    /// Called when the keeper is gone. Completes the start that it had announced: that program runs, and all
    /// its descriptors are here.
    pub(crate) fn complete_starts(&mut self) {
        for (id, Starting { slot, offset, fds }) in self.keeper.take_announced() {
            // There is at most one: the keeper begins the next start only after it has answered the one before.
            let pid = self.keeper.shared_table().announced();
            tracing::info!(session = %id, pid, "the keeper that died had started it");
            self.spawned(&id, slot, pid, offset, fds);
        }
    }

    /// Handles the start of a session's program.
    pub(crate) fn spawned(
        &mut self,
        id: &SessionId,
        slot: u32,
        pid: u32,
        offset: u64,
        fds: Vec<OwnedFd>,
    ) {
        self.keeper.take_slot(slot, id);
        let because = self.cause_of(id).cloned();
        let spawning = self.keeper.take_spawning(id);
        let Some(session) = self.sessions.get_mut(id) else {
            // The session was removed meanwhile, and the keeper has been told to forget it.
            kill_strays(id, self.keeper.pid());
            return;
        };
        let before = RunBefore {
            because: because.clone(),
            ..RunBefore::of(&session.life)
        };
        let launch = spawning.as_ref().map(|spawning| &spawning.launch);
        let reset = launch.map_or(0, |launch| launch.terminal.reset_bytes());
        begin_run(session, pid, offset, because, reset);
        // The keeper knows as much of a first run that nothing but a request has caused.
        let is_plain = session.life.runs().len() == 1 && before.because.is_none();
        let shown = session.output.shown(&session.scope);
        self.keeper.shared_table().slot(slot).set_shown(shown);
        if let (Some(io), Some(launch)) = (self.sessions.io_mut(id), launch) {
            let kept = kept(id, slot, pid, launch);
            io.hold(kept, fds, self.keeper.shared_table());
        }
        tracing::debug!(session = %id, pid, "started");
        // Publish here and not in the request's task, so that the start is published before the end.
        self.publish_start(id, before);
        // Not before: it says on whose behalf the run has begun.
        self.forget_cause(id);
        self.begin_probe(id);
        if is_plain {
            self.persist_soon(id)
        } else {
            self.persist(id)
        }
        self.arm_input(id);
        self.tell_submitter(id);
        // Queue it once: rendering also asks the keeper to notify the daemon of further output.
        self.render_queue.add(id);
        self.look(id);
        if let Some(spawning) = spawning {
            let _ = spawning.answer.send(Ok(pid));
        }
    }
}

/// Notes in a session that its program runs. `reset` is the number of bytes that the terminal was reset with.
fn begin_run(session: &mut Session, pid: u32, offset: u64, because: Option<Cause>, reset: u64) {
    session.life.started(pid, offset, now());
    session.life.set_cause(because);
    session.life.set_definition(session.spec.definition());
    // Not known while output of the run before is not rendered yet. What the terminal was reset with ends at most the
    // line that is counted already.
    if session.output.end() + reset >= offset {
        let lines_before = session.output.total_lines();
        session.life.set_first_line(lines_before + 1);
    }
    session.tty_open = true;
    session.stdin_closed = false;
    session.log_degraded = None;
    session.input.begin(now().boot);
}

/// What the keeper holds of a program that it has just started.
fn kept(id: &SessionId, slot: u32, pid: u32, launch: &Launch) -> Kept {
    Kept {
        session: id.clone(),
        slot,
        pid,
        exit: None,
        spec: launch.spec.clone(),
        keep: launch.keep,
        has_input: true,
        has_pidfd: true,
        has_tail: false,
        degraded: None,
        open: match launch.spec.mode {
            Mode::Pty => vec![0],
            Mode::Pipe => vec![0, 1],
        },
        on_exit_ran: false,
    }
}
