//! Programs that are being started: what the keeper is asked for, and what it says of them.

use std::os::fd::OwnedFd;

use tokio::sync::oneshot;

use super::hub::now;
use super::keeper_link::KeeperLink;
use super::state::State;
use crate::protocol::SessionId;
use crate::protocol::keeper::{Kept, SpawnSpec, ToKeeper};
use crate::protocol::record::Mode;
use crate::sys::{process, signal, tree};

/// Why the keeper could not run something.
#[derive(Clone, Debug)]
pub(super) struct SpawnFailure {
    pub(super) errno: Option<i32>,
    pub(super) message: String,
    /// Whether it was its terminal that could not be opened.
    pub(super) is_terminal: bool,
}

/// Where the answer to a `Spawn` goes.
pub(super) type SpawnAnswer = oneshot::Sender<Result<u32, SpawnFailure>>;

/// What is to be run.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) spec: SpawnSpec,
    pub(super) rows: u16,
    pub(super) cols: u16,
    /// Bytes of log to keep at least.
    pub(super) keep: u64,
}

/// A program that the keeper was told to start.
pub(super) struct Spawning {
    pub(super) launch: Launch,
    pub(super) answer: SpawnAnswer,
    /// How many the keeper was told before, and this one.
    pub(super) number: u64,
    /// What its process has said of itself.
    pub(super) starting: Option<Starting>,
    /// Those who wait until it runs or does not: dropped, they know.
    pub(super) waiting: Vec<oneshot::Sender<()>>,
}

/// A process that was about to run its program.
pub(super) struct Starting {
    slot: u32,
    offset: u64,
    fds: Vec<OwnedFd>,
}

impl KeeperLink {
    /// Asks for a program to be run.
    pub(super) fn spawn(&mut self, id: &SessionId, launch: Launch, answer: SpawnAnswer) {
        self.spawns += 1;
        self.send(&ToKeeper::Spawn {
            session: id.clone(),
            spec: launch.spec.clone(),
            rows: launch.rows,
            cols: launch.cols,
            keep: launch.keep,
        });
        let number = self.spawns;
        let spawning = Spawning {
            launch,
            answer,
            number,
            starting: None,
            waiting: Vec::new(),
        };
        self.spawning.insert(id.clone(), spawning);
    }

    /// Asks another keeper for what the one before had not begun.
    pub(super) fn spawn_again(&mut self, id: &SessionId, before: Spawning) {
        self.spawn(id, before.launch, before.answer);
        if let Some(spawning) = self.spawning.get_mut(id) {
            spawning.waiting = before.waiting;
        }
    }

    /// Ends when a session that is being started runs, or does not; `None` if it is not being started.
    pub(super) fn start_over(&mut self, id: &SessionId) -> Option<oneshot::Receiver<()>> {
        let spawning = self.spawning.get_mut(id)?;
        let (sender, receiver) = oneshot::channel();
        spawning.waiting.push(sender);
        Some(receiver)
    }

    /// Whether a session is being started.
    pub(super) fn is_spawning(&self, id: &SessionId) -> bool {
        self.spawning.contains_key(id)
    }

    /// Sessions that are being started.
    pub(super) fn starting(&self) -> usize {
        self.spawning.len()
    }
}

impl State {
    /// The process of a start is about to run its program.
    pub(super) fn starts(&mut self, id: &SessionId, slot: u32, offset: u64, fds: Vec<OwnedFd>) {
        if let Some(spawning) = self.keeper.spawning.get_mut(id) {
            spawning.starting = Some(Starting { slot, offset, fds });
        }
    }

    /// It does not run.
    pub(super) fn spawn_failed(&mut self, id: &SessionId, failure: SpawnFailure) {
        if let Some(spawning) = self.keeper.spawning.remove(id) {
            // Nobody is there any more if the request was cancelled.
            let _ = spawning.answer.send(Err(failure));
        }
    }

    /// The keeper is gone: what was about to run when it had that to say runs, with all that is needed to keep it.
    pub(super) fn complete_starts(&mut self) {
        let spawning = self.keeper.spawning.iter_mut();
        let told: Vec<(SessionId, Starting)> = spawning
            .filter_map(|(id, spawning)| Some((id.clone(), spawning.starting.take()?)))
            .collect();
        for (id, Starting { slot, offset, fds }) in told {
            // There is one at most: another is begun only after the answer to the one before is out.
            let pid = self.keeper.shared_table().announced();
            tracing::info!(session = %id, pid, "it was started by a keeper that is gone");
            self.spawned(&id, slot, pid, offset, fds);
        }
    }

    /// It runs.
    pub(super) fn spawned(
        &mut self,
        id: &SessionId,
        slot: u32,
        pid: u32,
        offset: u64,
        fds: Vec<OwnedFd>,
    ) {
        self.keeper.take_slot(slot, id);
        let before = self.run_before(id);
        let spawning = self.keeper.spawning.remove(id);
        let Some(session) = self.registry.get_mut(id) else {
            // Removed meanwhile; the keeper has been told to let go of it.
            end_strays(id);
            return;
        };
        session.life.started(pid, offset, now());
        session.tty_open = true;
        session.stdin_closed = false;
        session.log_degraded = None;
        session.input.begin(now().boot);
        let shown = session.output.shown(&session.scope);
        self.keeper.shared_table().slot(slot).set_shown(shown);
        if let (Some(driver), Some(spawning)) = (self.drivers.get_mut(id), &spawning) {
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
            driver.hold(kept, fds, &self.keeper.shared.shared_table);
        }
        tracing::debug!(session = %id, pid, "started");
        // Told here and not by whoever asked, so that it comes before its end.
        self.publish_start(id, before);
        self.begin_probe(id);
        self.persist(id);
        self.arm_input(id);
        // From here on the keeper rings when there is output.
        self.mark_dirty(id);
        self.look(id);
        if let Some(spawning) = spawning {
            let _ = spawning.answer.send(Ok(pid));
        }
    }
}

/// Ends what runs of a session that nobody can have.
pub(super) fn end_strays(id: &SessionId) {
    let found = tree::processes(&[(id.clone(), None)]);
    for process in found.into_values().flatten() {
        if let Some(pidfd) = process::open(&process) {
            let _ = signal::send(&pidfd, signal::KILL);
        }
    }
}
