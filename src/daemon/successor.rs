//! The next keeper, when one was killed.
//!
//! The daemon has a duplicate of everything that the keeper has open, so it
//! starts another one and hands it over. No job notices but by a short pause of
//! its output. The one before must be dead by then, for two that read from one
//! terminal would take bytes from each other.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Child;
use std::time::Duration;

use tokio::io::Interest;

use super::hub::Hub;
use super::keeper_link::waiting_end;
use super::starts::{SpawnFailure, end_strays};
use super::state::State;
use crate::protocol::SessionId;
use crate::protocol::keeper::{Kept, ToKeeper};
use crate::sys::channel::Channel;
use crate::sys::{detach, process, readiness};

/// A keeper that has closed its socket is dead so soon, or it is not dead.
const DYING: Duration = Duration::from_secs(5);

/// Pause before another attempt; it doubles up to the last one.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// The process.
pub(super) struct KeeperProcess {
    pub(super) pid: u32,
    pub(super) version: String,
    pidfd: OwnedFd,
    /// If it is a child of ours, so that it is reaped.
    child: Option<Child>,
}

impl KeeperProcess {
    /// The keeper of this pid, which has just spoken to us.
    pub(super) fn new(pid: u32, version: String, child: Option<Child>) -> io::Result<Self> {
        Ok(Self {
            pid,
            version,
            pidfd: process::handle(pid)?,
            child,
        })
    }

    /// Ends one that did not get all that it needs: with a part of it, it would
    /// keep the others from what it holds.
    fn give_up(mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a keeper and hands everything over to it; returns the new socket to
/// wait on. An error means that the old one is not dead. `pause` is for the next
/// attempt that fails, however far it came.
pub(super) async fn start(hub: &Hub, pause: &mut Duration) -> io::Result<OwnedFd> {
    bury(hub).await?;
    // One that died before it had taken over may be followed by more of its kind.
    let has_failed = hub.state().keeper.version().is_empty();
    if has_failed {
        wait(pause).await;
    } else {
        *pause = FIRST_PAUSE;
    }
    loop {
        match hub.with(State::start_next_keeper) {
            Ok(end) => return Ok(end),
            Err(error) => tracing::error!(%error, "no keeper could be started"),
        }
        wait(pause).await;
    }
}

async fn wait(pause: &mut Duration) {
    tokio::time::sleep(*pause).await;
    *pause = (*pause * 2).min(LAST_PAUSE);
}

/// Waits until the keeper is dead.
async fn bury(hub: &Hub) -> io::Result<()> {
    let pidfd = hub.state().keeper.process.pidfd.try_clone()?;
    let pidfd = readiness::watch(pidfd, Interest::READABLE)?;
    if tokio::time::timeout(DYING, pidfd.readable()).await.is_err() {
        return Err(io::Error::other(
            "the keeper lives and does not speak to us",
        ));
    }
    if let Some(child) = &mut hub.state().keeper.process.child {
        child.wait()?;
    }
    Ok(())
}

impl State {
    fn start_next_keeper(&mut self) -> io::Result<OwnedFd> {
        self.complete_starts();
        let shared = &self.keeper.shared;
        let mut sessions = Vec::new();
        for driver in self.drivers.values() {
            sessions.extend(driver.hand_over()?);
        }
        let [out, into] = shared.pipe.ends();
        let fds = vec![
            shared.listener.try_clone()?,
            shared.shared_table.as_fd().try_clone_to_owned()?,
            out.try_clone_to_owned()?,
            into.try_clone_to_owned()?,
        ];
        let log = self.store.home().diagnostics("keeper");
        let (child, socket) = detach::start_next_keeper(&log)?;
        let process = KeeperProcess::new(child.id(), String::new(), Some(child))?;
        let takeover = ToKeeper::Takeover {
            daemon_pid: std::process::id(),
            files: shared.files,
            sessions: sessions.len(),
        };
        let (channel, end) = match hand_over(socket, (takeover, fds), sessions) {
            Ok(handed) => handed,
            Err(error) => {
                process.give_up();
                return Err(error);
            }
        };
        self.keeper.channel = channel;
        self.keeper.process = process;
        self.ask_again();
        Ok(end)
    }

    /// What the dead keeper was asked and has not answered.
    fn ask_again(&mut self) {
        // In the order in which it was asked: what is cleared was written before what starts now.
        let clearing: Vec<SessionId> = self.keeper.clearing.keys().cloned().collect();
        for session in clearing {
            self.keeper.send(&ToKeeper::Clear { session });
        }
        let forgetting: Vec<SessionId> = self.keeper.forgetting.keys().cloned().collect();
        for session in forgetting {
            self.keeper.send(&ToKeeper::Forget { session });
        }
        let shared_table = self.keeper.shared_table().clone();
        let mut spawning: Vec<_> = self.keeper.spawning.drain().collect();
        spawning.sort_unstable_by_key(|(_, spawning)| spawning.number);
        let (again, unknown): (Vec<_>, Vec<_>) = spawning
            .into_iter()
            .partition(|(_, spawning)| !shared_table.may_run(spawning.number));
        shared_table.reset_spawns();
        self.keeper.spawns = 0;
        for (id, spawning) in again {
            // Its process would have announced itself before its program ran.
            self.keeper.spawn_again(&id, spawning);
        }
        for (id, spawning) in unknown {
            // It could not announce itself, and has no terminal by now.
            end_strays(&id);
            let message = "its keeper was killed while it was being started";
            let _ = spawning.answer.send(Err(SpawnFailure {
                errno: None,
                is_terminal: false,
                message: message.to_owned(),
            }));
        }
    }
}

/// Tells the next keeper everything; returns the channel and an end to wait on.
fn hand_over(
    socket: OwnedFd,
    (takeover, fds): (ToKeeper, Vec<OwnedFd>),
    sessions: Vec<(Kept, Vec<OwnedFd>)>,
) -> io::Result<(Channel, OwnedFd)> {
    let mut channel = Channel::new(socket)?;
    channel.send(&takeover, fds)?;
    for (kept, fds) in sessions {
        channel.send(&ToKeeper::Adopt(kept), fds)?;
    }
    let end = waiting_end(&channel)?;
    Ok((channel, end))
}
