//! The daemon's end of the socket to the keeper.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use tokio::io::Interest;
use tokio::sync::oneshot;

use super::hub::{Hub, now};
use super::input::Input;
use super::state::State;
use crate::diag;
use crate::protocol::keeper::{Exit, ToDaemon, ToKeeper};
use crate::protocol::{EventKind, SessionId};
use crate::sys::board::Board;
use crate::sys::channel::{Channel, Received};
use crate::sys::readiness;

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

/// What the daemon has of the keeper.
pub(super) struct KeeperLink {
    channel: Channel,
    board: Board,
    pid: u32,
    spawning: HashMap<SessionId, SpawnAnswer>,
    clearing: HashMap<SessionId, Vec<oneshot::Sender<Option<u64>>>>,
    /// Sessions by their slot on the board.
    slots: HashMap<u32, SessionId>,
    is_quitting: bool,
}

impl KeeperLink {
    pub(super) fn new(channel: Channel, board: Board, pid: u32) -> Self {
        Self {
            channel,
            board,
            pid,
            spawning: HashMap::new(),
            clearing: HashMap::new(),
            slots: HashMap::new(),
            is_quitting: false,
        }
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends, now or as soon as there is room. That the keeper is gone is
    /// noticed where its messages are read.
    pub(super) fn send(&mut self, message: &ToKeeper) {
        self.is_quitting |= *message == ToKeeper::Quit;
        let _ = self.channel.send(message, vec![]);
    }

    pub(super) fn wants_to_send(&self) -> bool {
        self.channel.wants_to_send()
    }

    /// Notes who asked for a session to be started.
    pub(super) fn expect(&mut self, id: &SessionId, answer: SpawnAnswer) {
        self.spawning.insert(id.clone(), answer);
    }

    /// Sessions that are being started.
    pub(super) fn starting(&self) -> usize {
        self.spawning.len()
    }

    /// Nobody waits any more for what was asked about a session.
    pub(super) fn give_up(&mut self, id: &SessionId) {
        self.spawning.remove(id);
        self.clearing.remove(id);
    }

    /// Whether a log is being cleared.
    pub(super) fn is_clearing(&self, id: &SessionId) -> bool {
        self.clearing.contains_key(id)
    }

    /// Asks for a log to be cleared; the answer is where it begins then.
    pub(super) fn clear(&mut self, id: &SessionId) -> oneshot::Receiver<Option<u64>> {
        let (sender, receiver) = oneshot::channel();
        self.clearing.entry(id.clone()).or_default().push(sender);
        self.send(&ToKeeper::Clear {
            session: id.clone(),
        });
        receiver
    }

    /// Notes which slot a session has.
    pub(super) fn take_slot(&mut self, slot: u32, id: &SessionId) {
        self.slots.insert(slot, id.clone());
    }
}

/// Takes what the keeper says until it is gone or the daemon is to end.
pub(super) async fn run(hub: Hub, socket: OwnedFd) -> io::Result<()> {
    let socket = readiness::watch(socket, Interest::READABLE | Interest::WRITABLE)?;
    loop {
        let waiting = hub.state().keeper.wants_to_send();
        tokio::select! {
            ready = socket.readable() => {
                ready?.clear_ready();
                let messages = hub.state().keeper.channel.receive::<ToDaemon>();
                let messages = match messages {
                    Ok(messages) => messages,
                    // It ends before us when it was told to.
                    Err(_) if hub.state().keeper.is_quitting => return Ok(()),
                    Err(_) => return Err(io::Error::other("the keeper is gone")),
                };
                hub.with(|state| {
                    for message in messages {
                        state.hear(message);
                    }
                });
            }
            ready = socket.writable(), if waiting => {
                ready?.clear_ready();
                hub.state().keeper.channel.flush()?;
            }
            () = hub.keeper_has_mail() => {}
            () = hub.stopping() => return Ok(()),
        }
    }
}

impl State {
    /// Takes one message of the keeper.
    fn hear(&mut self, (message, fds): Received<ToDaemon>) {
        match message {
            ToDaemon::Grown { slots } => {
                for slot in slots {
                    if let Some(id) = self.keeper.slots.get(&slot).cloned() {
                        self.mark_dirty(&id);
                    }
                }
            }
            ToDaemon::Spawned {
                session,
                slot,
                pid,
                offset,
            } => {
                let input = Fds::of(fds);
                self.spawned(&session, slot, pid, offset, input);
            }
            ToDaemon::SpawnFailed {
                session,
                errno,
                message,
                is_terminal,
            } => {
                if let Some(answer) = self.keeper.spawning.remove(&session) {
                    // Nobody is there any more if the request was cancelled.
                    let failure = SpawnFailure {
                        errno,
                        message,
                        is_terminal,
                    };
                    let _ = answer.send(Err(failure));
                }
            }
            ToDaemon::Exited { session, exit } => self.exited(&session, exit),
            ToDaemon::Closed { session } => {
                if let Some(session) = self.registry.get_mut(&session) {
                    session.tty_open = false;
                }
                self.release(&session);
            }
            ToDaemon::Stopped { session, stopped } => self.set_paused(&session, stopped),
            ToDaemon::Degraded { session, reason } => {
                if let Some(session) = self.registry.get_mut(&session) {
                    session.log_degraded = reason;
                }
            }
            ToDaemon::Cleared { session, first } => {
                if let Some(first) = first {
                    self.log_begins_at(&session, first);
                }
                for answer in self.keeper.clearing.remove(&session).unwrap_or_default() {
                    let _ = answer.send(first);
                }
            }
            ToDaemon::Welcome { .. } | ToDaemon::Adopt { .. } => {
                diag::say(format_args!("daemon: a greeting of the keeper came late"));
            }
        }
    }

    fn spawned(&mut self, id: &SessionId, slot: u32, pid: u32, offset: u64, fds: Fds) {
        self.keeper.take_slot(slot, id);
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        session.life.started(pid, offset, now());
        session.tty_open = true;
        session.stdin_closed = false;
        if let Some(driver) = self.drivers.get_mut(id) {
            driver.slot = Some(slot);
            driver.input = fds.input.map(|fd| Rc::new(Input::new(fd)));
            driver.pidfd = fds.pidfd.map(Rc::new);
            driver.log.set_growing(true);
        }
        // Told here and not by whoever asked, so that it comes before its end.
        let again = session.life.restarts() > 0;
        let kind = if again {
            EventKind::Restarted
        } else {
            EventKind::Started
        };
        self.publish(kind, id, serde_json::json!({ "pid": pid }));
        self.persist(id);
        // From here on the keeper rings when there is output.
        self.mark_dirty(id);
        if let Some(answer) = self.keeper.spawning.remove(id) {
            let _ = answer.send(Ok(pid));
        }
    }

    fn exited(&mut self, id: &SessionId, exit: Exit) {
        let wait_for_output = self.waits.read_output(id)
            && self
                .registry
                .get(id)
                .is_some_and(|s| s.output.end() < exit.end_offset);
        match self.drivers.get_mut(id) {
            // A pattern may be in what has not been looked at yet.
            Some(driver) if wait_for_output => {
                driver.pending_exit = Some(exit);
                self.mark_dirty(id);
            }
            _ => self.finish(id, &exit),
        }
    }

    /// A session's first process was stopped, or goes on.
    pub(super) fn set_paused(&mut self, id: &SessionId, paused: bool) {
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        if session.life.set_paused(paused) {
            let kind = if paused {
                EventKind::Paused
            } else {
                EventKind::Resumed
            };
            self.persist(id);
            self.publish(kind, id, serde_json::json!({}));
            self.look(id);
        }
    }
}

/// What comes with a process: where to write, and a handle on it.
struct Fds {
    input: Option<OwnedFd>,
    pidfd: Option<OwnedFd>,
}

impl Fds {
    fn of(fds: Vec<OwnedFd>) -> Self {
        let mut fds = fds.into_iter();
        Self {
            input: fds.next(),
            pidfd: fds.next(),
        }
    }
}

/// A second descriptor of the keeper's socket, to wait on.
pub(super) fn waiting_end(channel: &Channel) -> io::Result<OwnedFd> {
    channel.as_fd().try_clone_to_owned()
}
