//! Programs that are being started: the requests to the keeper, and its messages about them.

use std::os::fd::OwnedFd;

use tokio::sync::oneshot;

use super::KeeperLink;
use crate::protocol::SessionId;
use crate::protocol::keeper::{SpawnSpec, ToKeeper};
use crate::sys::spawn::Terminal;
use crate::sys::{process, signal, tree};

/// Why the keeper could not start a program.
#[derive(Clone, Debug)]
pub(crate) struct SpawnFailure {
    pub(crate) errno: Option<i32>,
    pub(crate) message: String,
    /// The file that was to be run, which is a shell for a shell line; `None` if the keeper was not asked.
    pub(crate) program: Option<String>,
    /// Whether opening its terminal failed.
    pub(crate) is_terminal: bool,
}

/// Receives the pid, or the failure, of a `Spawn`.
pub(crate) type SpawnAnswer = oneshot::Sender<Result<u32, SpawnFailure>>;

/// A program to start.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) spec: SpawnSpec,
    /// Its terminal, and what that is reset with after an earlier run.
    pub(crate) terminal: Terminal,
    /// Least number of log bytes to keep.
    pub(crate) keep: u64,
}

/// A start that the keeper was asked for.
pub(crate) struct Spawning {
    pub(crate) launch: Launch,
    pub(crate) answer: SpawnAnswer,
    /// Number of this `Spawn` among those sent to the current keeper, counted from 1.
    pub(crate) number: u64,
    /// The announcement of its new process, if it has come.
    pub(crate) starting: Option<Starting>,
    /// Dropped when the start has succeeded or failed, which notifies the receivers.
    pub(crate) waiting: Vec<oneshot::Sender<()>>,
}

/// A process that is about to run its program.
pub(crate) struct Starting {
    pub(crate) slot: u32,
    pub(crate) offset: u64,
    pub(crate) fds: Vec<OwnedFd>,
}

impl KeeperLink {
    /// Asks the keeper to start a program.
    pub(crate) fn spawn(&mut self, id: &SessionId, launch: Launch, answer: SpawnAnswer) {
        if self.is_quitting() {
            // The keeper would end right after the start, and the job with it. Nobody waits if this fails.
            let _ = answer.send(Err(SpawnFailure {
                errno: None,
                message: "the daemon is stopping".to_owned(),
                program: None,
                is_terminal: false,
            }));
            return;
        }
        self.spawns += 1;
        self.send(&ToKeeper::Spawn {
            session: id.clone(),
            spec: launch.spec.clone(),
            rows: launch.terminal.rows,
            cols: launch.terminal.cols,
            reset: launch.terminal.reset.clone(),
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

    /// Repeats the starts that the last keeper has not answered.
    pub(super) fn spawn_all_again(&mut self) {
        let table = self.shared_table().clone();
        let mut spawning: Vec<_> = self.spawning.drain().collect();
        spawning.sort_unstable_by_key(|(_, spawning)| spawning.number);
        let (again, unknown): (Vec<_>, Vec<_>) = spawning
            .into_iter()
            .partition(|(_, spawning)| !table.may_run(spawning.number));
        table.reset_spawns();
        self.spawns = 0;
        for (id, before) in again {
            // The program does not run: its process would have announced itself first.
            self.spawn(&id, before.launch, before.answer);
            if let Some(spawning) = self.spawning.get_mut(&id) {
                spawning.waiting = before.waiting;
            }
        }
        for (id, spawning) in unknown {
            // The program may run, but its process could not announce itself, so its terminal was lost with the
            // keeper.
            kill_strays(&id, self.pid());
            let message = "its keeper was killed while it was being started";
            let _ = spawning.answer.send(Err(SpawnFailure {
                errno: None,
                is_terminal: false,
                message: message.to_owned(),
                program: None,
            }));
        }
    }

    /// Notes that a new process has announced itself, and is about to run its program.
    pub(crate) fn announced(&mut self, id: &SessionId, starting: Starting) {
        if let Some(spawning) = self.spawning.get_mut(id) {
            spawning.starting = Some(starting);
        }
    }

    /// Takes the starts that were announced and not answered.
    pub(crate) fn take_announced(&mut self) -> Vec<(SessionId, Starting)> {
        let spawning = self.spawning.iter_mut();
        spawning
            .filter_map(|(id, spawning)| Some((id.clone(), spawning.starting.take()?)))
            .collect()
    }

    /// Takes a start that has succeeded or failed; the caller answers it.
    pub(crate) fn take_spawning(&mut self, id: &SessionId) -> Option<Spawning> {
        self.spawning.remove(id)
    }

    /// Returns a receiver that completes when the pending start of a session has succeeded or failed; `None` if
    /// none is pending.
    pub(crate) fn start_over(&mut self, id: &SessionId) -> Option<oneshot::Receiver<()>> {
        let spawning = self.spawning.get_mut(id)?;
        let (sender, receiver) = oneshot::channel();
        spawning.waiting.push(sender);
        Some(receiver)
    }

    /// Whether a session is being started.
    pub(crate) fn is_spawning(&self, id: &SessionId) -> bool {
        self.spawning.contains_key(id)
    }

    /// Sessions that are being started.
    pub(crate) fn starting(&self) -> usize {
        self.spawning.len()
    }
}

/// Kills all processes of a session whose descriptors are lost.
pub(crate) fn kill_strays(id: &SessionId, keeper: u32) {
    let found = tree::processes(&[(id.clone(), None)], &[std::process::id(), keeper]);
    for process in found.into_values().flatten() {
        if let Some(pidfd) = process::open(&process) {
            let _ = signal::send(&pidfd, signal::KILL);
        }
    }
}
