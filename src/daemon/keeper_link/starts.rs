//! Programs that are being started: what the keeper is asked for, and what it says of them.

use std::os::fd::OwnedFd;

use tokio::sync::oneshot;

use super::KeeperLink;
use crate::protocol::SessionId;
use crate::protocol::keeper::{SpawnSpec, ToKeeper};
use crate::sys::{process, signal, tree};

/// Why the keeper could not run something.
#[derive(Clone, Debug)]
pub(crate) struct SpawnFailure {
    pub(crate) errno: Option<i32>,
    pub(crate) message: String,
    /// Whether it was its terminal that could not be opened.
    pub(crate) is_terminal: bool,
}

/// Where the answer to a `Spawn` goes.
pub(crate) type SpawnAnswer = oneshot::Sender<Result<u32, SpawnFailure>>;

/// What is to be run.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) spec: SpawnSpec,
    pub(crate) rows: u16,
    pub(crate) cols: u16,
    /// Bytes of log to keep at least.
    pub(crate) keep: u64,
}

/// A program that the keeper was told to start.
pub(crate) struct Spawning {
    pub(crate) launch: Launch,
    pub(crate) answer: SpawnAnswer,
    /// How many the keeper was told before, and this one.
    pub(crate) number: u64,
    /// What its process has said of itself.
    pub(crate) starting: Option<Starting>,
    /// Those who wait until it runs or does not: dropped, they know.
    pub(crate) waiting: Vec<oneshot::Sender<()>>,
}

/// A process that was about to run its program.
pub(crate) struct Starting {
    pub(crate) slot: u32,
    pub(crate) offset: u64,
    pub(crate) fds: Vec<OwnedFd>,
}

impl KeeperLink {
    /// Asks for a program to be run.
    pub(crate) fn spawn(&mut self, id: &SessionId, launch: Launch, answer: SpawnAnswer) {
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

    /// Asks the next keeper for the starts that the last one has not answered.
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
            // Its process would have announced itself before its program ran.
            self.spawn(&id, before.launch, before.answer);
            if let Some(spawning) = self.spawning.get_mut(&id) {
                spawning.waiting = before.waiting;
            }
        }
        for (id, spawning) in unknown {
            // It could not announce itself, and its terminal went with the keeper.
            kill_strays(&id);
            let message = "its keeper was killed while it was being started";
            let _ = spawning.answer.send(Err(SpawnFailure {
                errno: None,
                is_terminal: false,
                message: message.to_owned(),
            }));
        }
    }

    /// A new process has announced itself, and is about to run its program.
    pub(crate) fn announced(&mut self, id: &SessionId, starting: Starting) {
        if let Some(spawning) = self.spawning.get_mut(id) {
            spawning.starting = Some(starting);
        }
    }

    /// The starts that were announced and not answered.
    pub(crate) fn take_announced(&mut self) -> Vec<(SessionId, Starting)> {
        let spawning = self.spawning.iter_mut();
        spawning
            .filter_map(|(id, spawning)| Some((id.clone(), spawning.starting.take()?)))
            .collect()
    }

    /// A start is over; the caller answers it.
    pub(crate) fn take_spawning(&mut self, id: &SessionId) -> Option<Spawning> {
        self.spawning.remove(id)
    }

    /// Ends when a session that is being started runs, or does not; `None` if it is not being started.
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

/// Ends what runs of a session that nobody can have.
pub(crate) fn kill_strays(id: &SessionId) {
    let found = tree::processes(&[(id.clone(), None)]);
    for process in found.into_values().flatten() {
        if let Some(pidfd) = process::open(&process) {
            let _ = signal::send(&pidfd, signal::KILL);
        }
    }
}
