//! Starts the next keeper after one was killed.
//!
//! The daemon has a duplicate of everything that the keeper had open, so it starts another keeper and hands
//! everything over. Jobs notice nothing but a short pause of their output. The old keeper must be dead by then,
//! because two keepers that read from one terminal would each get only part of its output.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::{KeeperProcess, waiting_end};
use crate::daemon::sessions::Sessions;
use crate::daemon::state::State;
use crate::protocol::keeper::ToKeeper;
use crate::sys::channel::Channel;
use crate::sys::detach;
use crate::sys::role::ProcessRole;

/// How long a new keeper may take to make room for the next session.
const ADOPTION: Duration = Duration::from_secs(5);

/// Pause before the next attempt. It doubles with each failure, up to [`LAST_PAUSE`].
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// Starts a keeper and hands everything over to it. Returns the new socket to wait on. Returns an error if the
/// old keeper is still alive. `pause` is the pause before the next attempt, and is kept between calls.
pub(crate) async fn start(hub: &Hub, pause: &mut Duration) -> io::Result<OwnedFd> {
    bury(hub).await?;
    // If the last keeper died before it had taken over, the next one may fail as well: pause first.
    let has_failed = !hub.read().keeper.process().has_taken_over();
    if has_failed {
        wait(pause).await;
    } else {
        *pause = FIRST_PAUSE;
    }
    loop {
        match hub.change(State::start_next_keeper) {
            Ok(end) => return Ok(end),
            Err(error) => tracing::error!(%error, "cannot start another keeper"),
        }
        wait(pause).await;
    }
}

async fn wait(pause: &mut Duration) {
    tokio::time::sleep(*pause).await;
    *pause = (*pause * 2).min(LAST_PAUSE);
}

/// Waits until the keeper is dead, and reaps it.
async fn bury(hub: &Hub) -> io::Result<()> {
    let pidfd = hub.read().keeper.process().pidfd()?;
    if !KeeperProcess::dies(pidfd).await? {
        return Err(io::Error::other(
            "the keeper closed its socket and still runs",
        ));
    }
    hub.change(|state| state.keeper.process_mut().reap())
}

impl State {
    fn start_next_keeper(&mut self) -> io::Result<OwnedFd> {
        self.complete_starts();
        let shared = self.keeper.shared();
        let [out, into] = shared.pipe.ends();
        let fds = vec![
            shared.listener.try_clone()?,
            shared.shared_table.as_fd().try_clone_to_owned()?,
            out.try_clone_to_owned()?,
            into.try_clone_to_owned()?,
        ];
        let log = self.sessions.store.home().diagnostics(ProcessRole::Keeper);
        let (child, socket) = detach::start_next_keeper(&log)?;
        let process = KeeperProcess::next(child)?;
        let takeover = ToKeeper::Takeover {
            daemon_pid: std::process::id(),
            files: shared.files,
            sessions: self.sessions.io.values().filter(|io| io.is_held()).count(),
        };
        let (channel, end) = match hand_over(socket, (takeover, fds), &self.sessions) {
            Ok(handed) => handed,
            Err(error) => {
                process.give_up();
                return Err(error);
            }
        };
        self.sessions.keeper = process.pid;
        self.keeper.replace(channel, process);
        Ok(end)
    }
}

/// Sends everything to the next keeper. Returns the channel and a descriptor to wait on.
///
/// With many sessions it waits until the keeper has taken some of them: there may not be enough descriptors left to
/// duplicate all at once.
fn hand_over(
    socket: OwnedFd,
    (takeover, fds): (ToKeeper, Vec<OwnedFd>),
    sessions: &Sessions,
) -> io::Result<(Channel, OwnedFd)> {
    let mut channel = Channel::new(socket)?;
    channel.send(&takeover, fds)?;
    // What runs comes first: if this daemon is killed meanwhile, the keeper has it.
    let (live, ended): (Vec<_>, Vec<_>) = sessions.io.values().partition(|io| io.pidfd.is_some());
    for io in live.into_iter().chain(ended) {
        if let Some((kept, fds)) = io.hand_over()? {
            channel.send(&ToKeeper::Adopt(kept), fds)?;
            channel.flush_within(ADOPTION)?;
        }
    }
    let end = waiting_end(&channel)?;
    Ok((channel, end))
}
