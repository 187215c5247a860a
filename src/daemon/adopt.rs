//! Taking over: what the keeper has, and what earlier daemons wrote down.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::rc::Rc;

use tokio::io::Interest;

use super::actions::GRACE_MS;
use super::end_tree;
use super::hub::{Hub, now};
use super::input::Input;
use super::keeper_link::{KeeperLink, waiting_end};
use super::log_reader::LogReader;
use super::rebuild::{self, Remains};
use super::settings::Settings;
use super::state::{Driver, State};
use super::store::Store;
use crate::engine::session::{Meta, Session};
use crate::protocol::keeper::{Exit, ToDaemon, ToKeeper};
use crate::protocol::{EventKind, Mode, SessionId};
use crate::sys::board::Board;
use crate::sys::channel::{Channel, Received};
use crate::sys::paths::Home;
use crate::sys::{pty, readiness, signal};

/// A session as the keeper has it.
struct Kept {
    slot: u32,
    pid: u32,
    exit: Option<Exit>,
    open: bool,
    mode: Mode,
    argv: Vec<String>,
    cwd: String,
    input: Option<OwnedFd>,
    pidfd: Option<OwnedFd>,
}

/// Hears the keeper out and puts together the state to go on with.
pub(super) async fn adopt(
    home: Home,
    settings: Settings,
    mut channel: Channel,
) -> io::Result<(Hub, UnixListener, OwnedFd)> {
    let link = waiting_end(&channel)?;
    let (welcome, kept) = greetings(&mut channel, &link).await?;
    let (keeper_pid, listener, board) = welcome;
    channel.send(&ToKeeper::Ready, vec![])?;
    let store = Store::new(home);
    let keeper = KeeperLink::new(channel, board, keeper_pid);
    let mut state = State::new(store, settings, keeper);
    let ending = state.take_over(kept);
    let hub = Hub::new(state);
    for id in ending {
        tokio::task::spawn_local(end_tree::end_tree(hub.clone(), id, signal::TERM, GRACE_MS));
    }
    Ok((hub, listener, link))
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
        mode,
        argv,
        cwd,
        has_input,
        has_pidfd,
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
            mode,
            argv,
            cwd,
            input,
            pidfd,
        },
    ))
}

impl State {
    /// Returns the sessions whose ending has to be seen through.
    fn take_over(&mut self, mut kept: HashMap<SessionId, Kept>) -> Vec<SessionId> {
        let mut ending = Vec::new();
        let (metas, without) = self.store.load();
        for meta in metas {
            let id = meta.id.clone();
            let mine = kept.remove(&id);
            self.take_over_session(meta, mine);
            if self
                .registry
                .get(&id)
                .is_some_and(|s| s.life.ending().is_some())
            {
                ending.push(id);
            }
        }
        for id in without {
            let kept = kept.remove(&id);
            self.take_over_unknown(id, kept);
        }
        for (id, kept) in kept {
            match self.store.has(&id) {
                true => self.take_over_unknown(id, Some(kept)),
                // Removed, and the daemon ended before it told the keeper so.
                false => self.keeper.send(&ToKeeper::Forget { session: id }),
            }
        }
        ending
    }

    /// A session without a record: what runs goes on, what has ended is told.
    fn take_over_unknown(&mut self, id: SessionId, kept: Option<Kept>) {
        let dir = self.store.dir(&id);
        let (first, _) = LogReader::new(dir.clone()).bounds();
        let remains = match &kept {
            Some(kept) => Remains {
                id,
                argv: kept.argv.clone(),
                cwd: kept.cwd.clone(),
                mode: kept.mode,
                size: kept.input.as_ref().and_then(pty::size),
                pid: kept.exit.is_none().then_some(kept.pid),
                first,
            },
            None => Remains {
                id,
                argv: Vec::new(),
                cwd: String::new(),
                mode: Mode::Pty,
                size: None,
                pid: None,
                first,
            },
        };
        tracing::warn!(session = %remains.id, pid = remains.pid, "its record is made anew");
        let meta = rebuild::rebuilt(remains, &dir, self.store.boot_id(), now());
        self.take_over_session(meta, kept);
    }

    fn take_over_session(&mut self, meta: Meta, kept: Option<Kept>) {
        let now = now();
        let id = meta.id.clone();
        let lines_before = meta.lines_before;
        let same_boot = meta.boot_id == self.store.boot_id();
        let log = LogReader::new(self.store.dir(&id));
        let (first, end) = log.bounds();
        let mut session = Session::from_meta(meta, now);
        session.output.begin_at(first, lines_before + 1);
        let mut driver = Driver::new(log);
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
        self.mark_dirty(&id);
    }
}
