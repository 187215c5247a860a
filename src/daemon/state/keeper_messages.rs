//! Handles the keeper's messages.

use std::os::fd::OwnedFd;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::keeper_link::{SpawnFailure, Starting};
use crate::engine::session::Session;
use crate::protocol::keeper::{Exit, Failure, ToDaemon};
use crate::protocol::{EventKind, SessionId};
use crate::sys::channel::Received;
use crate::sys::process;

impl State {
    /// Handles one message of the keeper.
    pub(crate) fn take_message(&mut self, (message, fds): Received<ToDaemon>) {
        match message {
            ToDaemon::Grown { slots } => {
                for slot in slots {
                    if let Some(id) = self.keeper.session_at(slot) {
                        self.render_queue.add(id);
                    }
                }
            }
            ToDaemon::Starting {
                session,
                slot,
                offset,
            } => self
                .keeper
                .announced(&session, Starting { slot, offset, fds }),
            ToDaemon::Spawned {
                session,
                slot,
                pid,
                offset,
            } => {
                self.spawned(&session, slot, pid, offset, fds);
            }
            ToDaemon::SpawnFailed {
                session,
                errno,
                message,
                is_terminal,
            } => {
                let failure = SpawnFailure {
                    errno,
                    message,
                    program: None,
                    is_terminal,
                };
                self.spawn_failed(&session, failure);
            }
            ToDaemon::Exited { session, exit } => {
                if self.is_running(&session, exit.pid) {
                    self.exited(&session, exit);
                }
            }
            ToDaemon::Closed { session } => self.closed(&session),
            ToDaemon::Stopped { session, stopped } => self.stopped(&session, stopped),
            ToDaemon::Degraded { session, reason } => {
                self.degraded(&session, reason, fds.into_iter().next());
            }
            ToDaemon::InputInspected {
                session,
                ask,
                report,
            } => self.on_input_report(&session, ask, report),
            ToDaemon::OnExitBegan { session } => self.on_exit_began(&session),
            ToDaemon::OnExitEnded { session, failure } => self.on_exit_ended(&session, failure),
            ToDaemon::Cleared {
                session,
                first,
                failure,
            } => self.cleared(&session, first, failure),
            ToDaemon::Forgotten { session } => {
                // Remove the directory only now, when the keeper no longer writes to it.
                self.sessions.store.remove(&session);
                self.keeper.forgotten(&session);
            }
            ToDaemon::TakenOver { version } => self.next_keeper_is_up(version),
            ToDaemon::Listening => {
                if let Some(listener) = fds.into_iter().next() {
                    tracing::info!("the listening socket was replaced");
                    self.keeper.listens_on(listener);
                    self.save_all_again();
                }
            }
            ToDaemon::Upgraded { version, error } => {
                tracing::info!(version, error, "the keeper was upgraded");
                self.keeper.set_upgraded(version, error);
            }
            ToDaemon::Welcome { .. } | ToDaemon::Stored { .. } | ToDaemon::Adopt(_) => {
                tracing::warn!("the keeper sent a greeting message after the greeting");
            }
        }
    }

    /// Notes that nobody has a session's terminal open any more.
    fn closed(&mut self, id: &SessionId) {
        if let Some(io) = self.sessions.io_mut(id) {
            io.closed();
        }
        if let Some(session) = self.sessions.get_mut(id) {
            session.tty_open = false;
        }
        self.release(id);
    }

    fn on_exit_began(&mut self, id: &SessionId) {
        if let Some(io) = self.sessions.io_mut(id) {
            io.on_exit_began();
        }
        if let Some(session) = self.sessions.get_mut(id) {
            session.life.on_exit_began();
        }
        self.persist(id);
    }

    /// Notes that a session's log begins at the offset `first`, or could not be cleared.
    fn cleared(&mut self, id: &SessionId, first: Option<u64>, failure: Option<Failure>) {
        if let Some(first) = first {
            let newlines = self.newlines_before(id, first);
            self.log_begins_at(id, first, newlines);
        }
        let outcome = first.ok_or_else(|| failure.unwrap_or_else(unknown));
        self.keeper.cleared(id, &outcome);
    }

    /// Goes on with a keeper that has taken over from one that died.
    fn next_keeper_is_up(&mut self, version: String) {
        tracing::info!(pid = self.keeper.pid(), version, "the next keeper is up");
        self.keeper.set_ready(version);
        // Render all sessions: the keeper may have died before it notified us of new output.
        for id in self.sessions.io.keys() {
            self.render_queue.add(id);
        }
        // Those that waited for their turn there are forgotten.
        let owing = self.sessions.iter().filter(|one| one.life.owes_on_exit());
        let owing: Vec<SessionId> = owing.map(|session| session.id.clone()).collect();
        for id in owing {
            self.run_on_exit(&id);
        }
        let alive = self.sessions.iter().filter(|one| one.life.pid().is_some());
        let alive: Vec<SessionId> = alive.map(|session| session.id.clone()).collect();
        for id in alive {
            self.see_if_stopped(&id);
        }
    }

    /// Notes that a session's log can no longer be written, or can be written again.
    fn degraded(&mut self, id: &SessionId, reason: Option<String>, tail: Option<OwnedFd>) {
        match &reason {
            Some(why) => tracing::warn!(session = %id, why, "its log cannot be written"),
            None => tracing::info!(session = %id, "its log can be written again"),
        }
        let shared_table = self.keeper.shared_table().clone();
        if let Some(io) = self.sessions.io_mut(id) {
            io.degraded(reason.clone(), tail, &shared_table);
        }
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        session.log_degraded.clone_from(&reason);
        // Its output may wait for this.
        self.render_queue.add(id);
        let data =
            serde_json::json!({ "reason": reason, "unsavedBytes": self.sessions.unsaved(id) });
        self.publish(EventKind::OutputDropped, id, data);
    }

    /// Whether the run with this first process goes on, as far as is known. A daemon that has just started may have
    /// read its end from `exit.json` before the keeper's message comes.
    fn is_running(&self, id: &SessionId, pid: u32) -> bool {
        let is_running = |session: &Session| {
            session.life.status().has_process() && session.life.pid() == Some(pid)
        };
        self.sessions.get(id).is_some_and(is_running)
    }

    /// The run of a session has ended, as its keeper or its batch system says.
    pub(super) fn exited(&mut self, id: &SessionId, exit: Exit) {
        let probes = self.sessions.get(id).is_some_and(|s| s.probes_output());
        let wait_for_output = (probes || self.waiters.waits.read_output(id))
            && self
                .sessions
                .get(id)
                .is_some_and(|s| s.output.end() < exit.end_offset);
        match self.sessions.io_mut(id) {
            // Delay the exit: the output before it is not fully rendered and may match a pattern.
            Some(io) if wait_for_output => {
                io.pending_exit = Some(exit);
                self.render_queue.add(id);
            }
            _ => self.finish(id, &exit),
        }
    }

    /// Takes the keeper's word that a session's first process was stopped or continued. It may be late: a signal
    /// that a client sent meanwhile has already changed the state, and the keeper reports that one, too.
    fn stopped(&mut self, id: &SessionId, stopped: bool) {
        let pid = self.sessions.get(id).and_then(|session| session.life.pid());
        let is_late = pid
            .and_then(process::stop_state)
            .is_some_and(|now| now != stopped);
        if !is_late {
            self.set_paused(id, stopped);
        }
    }

    /// Looks whether a session's first process is stopped now. While there was no daemon, nobody has told; nor does a
    /// keeper that is not its parent, later.
    pub(crate) fn see_if_stopped(&mut self, id: &SessionId) {
        let pid = self.sessions.get(id).and_then(|session| session.life.pid());
        if let Some(stopped) = pid.and_then(process::stop_state) {
            self.set_paused(id, stopped);
        }
    }

    /// Notes that a session's first process was stopped or continued.
    pub(crate) fn set_paused(&mut self, id: &SessionId, paused: bool) {
        let eager = self.waiters.waits.want_input(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if session.life.set_paused(paused) {
            session
                .input
                .forget(now().boot, eager, self.input_probes.last());
            session.life.forgive_unready(now().boot);
            let kind = if paused {
                EventKind::Paused
            } else {
                EventKind::Resumed
            };
            if let Some(io) = self.sessions.io_mut(id) {
                // What its node said of its input is to be read again.
                io.node_state = None;
            }
            self.publish(kind, id, serde_json::json!({}));
            self.catch_up_on_changes(id);
            self.persist(id);
            self.tell_submitter(id);
            self.arm_input(id);
            self.look(id);
        }
    }
}

/// The failure to report if an older keeper sends no reason.
fn unknown() -> Failure {
    Failure {
        errno: None,
        message: "the keeper does not say why".to_owned(),
    }
}
