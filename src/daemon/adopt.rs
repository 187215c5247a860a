//! Taking over: what the keeper has, and what earlier daemons wrote down.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::rc::Rc;

use tokio::io::Interest;

use super::end_tree;
use super::hub::{Hub, now};
use super::input::Input;
use super::keeper_link::{KeeperLink, waiting_end};
use super::log_reader::LogReader;
use super::settings::Settings;
use super::state::{Driver, State};
use super::store::Store;
use crate::config;
use crate::diag;
use crate::engine::session::{Meta, Session};
use crate::protocol::keeper::{Exit, ToDaemon, ToKeeper};
use crate::protocol::{EventKind, SessionId};
use crate::sys::board::Board;
use crate::sys::channel::{Channel, Received};
use crate::sys::paths::Home;
use crate::sys::readiness;

/// A session as the keeper has it.
struct Kept {
    slot: u32,
    pid: u32,
    exit: Option<Exit>,
    open: bool,
    input: Option<OwnedFd>,
    pidfd: Option<OwnedFd>,
}

/// Hears the keeper out and puts together the state to go on with.
pub(super) async fn adopt(
    home: Home,
    mut channel: Channel,
) -> io::Result<(Hub, UnixListener, OwnedFd)> {
    let link = waiting_end(&channel)?;
    let (welcome, kept) = greetings(&mut channel, &link).await?;
    let (keeper_pid, listener, board) = welcome;
    channel.send(&ToKeeper::Ready, vec![])?;
    let settings = settings(&home);
    let store = Store::new(home);
    let keeper = KeeperLink::new(channel, board, keeper_pid);
    let mut state = State::new(store, settings, keeper);
    state.remember_removed();
    let ending = state.take_over(kept);
    let hub = Hub::new(state);
    for id in ending {
        end_tree::resume(&hub, &id);
    }
    Ok((hub, listener, link))
}

/// A configuration that cannot be read is told by the front doors; jobs are
/// kept all the same, under the usual limits.
fn settings(home: &Home) -> Settings {
    match config::load(&home.config_file()) {
        Ok(config) => Settings::new(&config),
        Err(error) => {
            diag::say(format_args!(
                "daemon: {error}; the usual limits are in force"
            ));
            Settings::default()
        }
    }
}

type Welcome = (u32, UnixListener, Board);

/// The keeper says first who it is and then, one by one, what it has.
async fn greetings(
    channel: &mut Channel,
    link: &OwnedFd,
) -> io::Result<(Welcome, HashMap<SessionId, Kept>)> {
    let ready = readiness::watch(link.try_clone()?, Interest::READABLE)?;
    let mut welcome = None;
    let mut expected = usize::MAX;
    let mut kept = HashMap::new();
    while welcome.is_none() || kept.len() < expected {
        ready.readable().await?.clear_ready();
        for (message, fds) in channel.receive::<ToDaemon>()? {
            match message {
                ToDaemon::Welcome {
                    keeper_pid,
                    sessions,
                } => {
                    let mut fds = fds.into_iter();
                    let missing = || io::Error::other("the keeper's greeting lacks a descriptor");
                    let listener = UnixListener::from(fds.next().ok_or_else(missing)?);
                    let board = Board::open(fds.next().ok_or_else(missing)?)?;
                    welcome = Some((keeper_pid, listener, board));
                    expected = sessions;
                }
                message => {
                    if let Some((id, session)) = kept_session((message, fds)) {
                        kept.insert(id, session);
                    }
                }
            }
        }
    }
    let welcome = welcome.ok_or_else(|| io::Error::other("the keeper did not greet"))?;
    Ok((welcome, kept))
}

fn kept_session((message, fds): Received<ToDaemon>) -> Option<(SessionId, Kept)> {
    let ToDaemon::Adopt {
        session,
        slot,
        pid,
        exit,
        open,
        has_input,
        has_pidfd,
        ..
    } = message
    else {
        // Told while we were starting; the log and exit.json tell it as well.
        return None;
    };
    let mut fds = fds.into_iter();
    let input = has_input.then(|| fds.next()).flatten();
    let pidfd = has_pidfd.then(|| fds.next()).flatten();
    Some((
        session,
        Kept {
            slot,
            pid,
            exit,
            open,
            input,
            pidfd,
        },
    ))
}

impl State {
    /// Returns the sessions whose ending has to be seen through.
    fn take_over(&mut self, mut kept: HashMap<SessionId, Kept>) -> Vec<SessionId> {
        let mut ending = Vec::new();
        for meta in self.store.load() {
            let id = meta.id.clone();
            let mine = kept.remove(&id);
            self.take_over_session(meta, mine);
            if self
                .registry
                .get(&id)
                .is_some_and(|s| s.life.ending().is_some() || s.life.kill_at().is_some())
            {
                ending.push(id);
            }
        }
        // Known to the keeper and not to us: the daemon ended before it wrote
        // the session down, so nobody was ever told of it.
        for (id, _) in kept {
            self.keeper.send(&ToKeeper::Forget { session: id });
        }
        self.check_log_quota();
        ending
    }

    fn take_over_session(&mut self, meta: Meta, kept: Option<Kept>) {
        let now = now();
        let id = meta.id.clone();
        let lines_before = meta.lines_before;
        let same_boot = meta.boot_id == self.store.boot_id();
        let log = LogReader::new(self.store.dir(&id));
        let (first, end) = log.bounds();
        let mut session = Session::from_meta(meta, same_boot, now);
        session.output.begin_at(first, lines_before + 1);
        let mut driver = Driver::new(log);
        driver.measured = end;
        let exit = kept.as_ref().and_then(|kept| kept.exit.clone());
        let exit = exit.or_else(|| self.store.read_exit(&id));
        let was_alive = session.life.status().is_alive();
        if let Some(kept) = kept {
            self.keeper.take_slot(kept.slot, &id);
            driver.slot = Some(kept.slot);
            driver.input = kept.input.map(|fd| Rc::new(Input::new(fd)));
            driver.pidfd = kept.pidfd.map(Rc::new);
            session.tty_open = kept.open;
            if session.life.pid().is_none() && exit.is_none() {
                // Started, and the daemon ended before it wrote the pid down.
                session.life.started(kept.pid, end, now);
            }
        } else if was_alive && exit.is_none() {
            let why = if same_boot {
                "its keeper ended"
            } else {
                "the machine was restarted"
            };
            session.life.lost(why, now);
        }
        self.registry.insert(session);
        self.drivers.insert(id.clone(), driver);
        if let Some(exit) = exit.filter(|_| was_alive) {
            self.finish(&id, &exit);
        } else if was_alive {
            let lost = self
                .registry
                .get(&id)
                .is_some_and(|s| s.life.status().is_finished());
            let kind = if lost {
                EventKind::Lost
            } else {
                EventKind::Adopted
            };
            self.publish(kind, &id, serde_json::json!({}));
        }
        self.persist(&id);
        self.release(&id);
        self.mark_dirty(&id);
    }
}
