//! The daemon's end of the socket to the keeper, and the next keeper if that
//! one is killed.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::rc::Rc;

use tokio::io::Interest;
use tokio::sync::oneshot;

use super::hub::{Hub, now};
use super::room::Room;
use super::starts::{SpawnFailure, Spawning};
use super::state::State;
use super::successor;
use crate::protocol::keeper::{Exit, Failure, ToDaemon, ToKeeper};
use crate::protocol::{EventKind, Inherit, SessionId};
use crate::sys::channel::{Channel, Received};
use crate::sys::shared_table::SharedTable;
use crate::sys::splice::SplicePipe;
use crate::sys::{inherit, readiness};

/// Where the answer to a `Clear` goes: where the log begins then.
pub(super) type ClearAnswer = oneshot::Sender<Result<u64, Failure>>;

/// What does not change while one keeper follows another.
pub(super) struct Shared {
    pub(super) shared_table: Rc<SharedTable>,
    /// Both ends of the pipe through which output goes; held for the next keeper.
    pub(super) pipe: SplicePipe,
    /// A second descriptor of the listening socket, for the same reason.
    pub(super) listener: OwnedFd,
    /// Limit of open files that jobs start with.
    pub(super) files: Option<u64>,
}

/// What the daemon has of the keeper.
pub(super) struct KeeperLink {
    pub(super) channel: Channel,
    pub(super) shared: Shared,
    pub(super) process: successor::KeeperProcess,
    pub(super) spawning: HashMap<SessionId, Spawning>,
    pub(super) spawns: u64,
    pub(super) clearing: HashMap<SessionId, Vec<ClearAnswer>>,
    /// Removed sessions of which the keeper has not let go yet, and who waits for that.
    pub(super) forgetting: HashMap<SessionId, Vec<oneshot::Sender<()>>>,
    /// Sessions by their slot on the shared table.
    slots: HashMap<u32, SessionId>,
    is_quitting: bool,
    /// Whether `shared.listener` is a new one, from which no connection is taken yet.
    listener_changed: bool,
    /// Whether it is to become another program before anybody is served.
    is_upgrading: bool,
    /// Why it did not.
    upgrade_error: Option<String>,
}

impl KeeperLink {
    pub(super) fn new(
        channel: Channel,
        shared: Shared,
        process: successor::KeeperProcess,
        is_upgrading: bool,
    ) -> Self {
        Self {
            channel,
            shared,
            process,
            spawning: HashMap::new(),
            spawns: 0,
            clearing: HashMap::new(),
            forgetting: HashMap::new(),
            slots: HashMap::new(),
            is_quitting: false,
            listener_changed: false,
            is_upgrading,
            upgrade_error: None,
        }
    }

    pub(super) fn shared_table(&self) -> &Rc<SharedTable> {
        &self.shared.shared_table
    }

    /// What a job has of the keeper unless somebody says otherwise. Keeper and daemon have the same, but for the
    /// limit of open files, which both have raised for themselves.
    pub(super) fn handed_on(&self) -> Inherit {
        let mut own = inherit::own();
        if let Some(files) = own.limits.get_mut("nofile") {
            files.soft = self.shared.files;
        }
        own
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid
    }

    /// Its version.
    pub(super) fn version(&self) -> &str {
        &self.process.version
    }

    /// Whether clients come by another socket, which nobody has taken yet.
    pub(super) fn has_new_listener(&self) -> bool {
        self.listener_changed
    }

    /// The socket by which clients come.
    pub(super) fn take_listener(&mut self) -> io::Result<UnixListener> {
        self.listener_changed = false;
        Ok(self.shared.listener.try_clone()?.into())
    }

    /// Whether it is to become another program before anybody is served.
    pub(super) fn is_upgrading(&self) -> bool {
        self.is_upgrading
    }

    /// Why it did not become another program, if it was to.
    pub(super) fn upgrade_error(&self) -> Option<&str> {
        self.upgrade_error.as_deref()
    }

    /// Sends, now or as soon as there is room. That the keeper is gone is
    /// noticed where its messages are read.
    pub(super) fn send(&mut self, message: &ToKeeper) {
        self.is_quitting |= *message == ToKeeper::Quit;
        let _ = self.channel.send(message, vec![]);
    }

    /// Leaves a message to the task that sends what waits, with others like it.
    pub(super) fn send_soon(&mut self, message: &ToKeeper) {
        let _ = self.channel.queue(message, vec![]);
    }

    pub(super) fn wants_to_send(&self) -> bool {
        self.channel.wants_to_send()
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

    /// Has the keeper let go of a session; the answer comes when its files are gone.
    pub(super) fn forget(&mut self, id: &SessionId) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.forgetting.entry(id.clone()).or_default().push(sender);
        self.send(&ToKeeper::Forget {
            session: id.clone(),
        });
        receiver
    }

    /// Asks for a log to be cleared; the answer is where it begins then.
    pub(super) fn clear(&mut self, id: &SessionId) -> oneshot::Receiver<Result<u64, Failure>> {
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

/// Takes what the keeper says until the daemon is to end. If the keeper is
/// killed, the next one is told everything.
pub(super) async fn run(hub: Hub, mut end: OwnedFd) -> io::Result<()> {
    let mut pause = successor::FIRST_PAUSE;
    loop {
        match serve(&hub, end).await? {
            Over::Stopping => return Ok(()),
            Over::KeeperGone => {
                hub.state().forget_looks();
                end = successor::start(&hub, &mut pause).await?;
            }
        }
    }
}

enum Over {
    Stopping,
    KeeperGone,
}

async fn serve(hub: &Hub, end: OwnedFd) -> io::Result<Over> {
    let socket = readiness::watch(end, Interest::READABLE)?;
    let mut room = Room::default();
    loop {
        room.want(socket.get_ref(), hub.state().keeper.wants_to_send())?;
        tokio::select! {
            ready = socket.readable() => {
                ready?.clear_ready();
                let messages = hub.state().keeper.channel.receive::<ToDaemon>(&[]);
                let messages = match messages {
                    Ok(messages) => messages,
                    // It ends before us when it was told to.
                    Err(_) if hub.state().keeper.is_quitting => return Ok(Over::Stopping),
                    Err(error) => {
                        tracing::warn!(%error, "the keeper is gone");
                        return Ok(Over::KeeperGone);
                    }
                };
                hub.with(|state| {
                    for message in messages {
                        state.hear(message);
                    }
                });
            }
            ready = room.there() => {
                ready?;
                // That it is gone is noticed by reading.
                let _ = hub.state().keeper.channel.flush();
            }
            () = hub.keeper_has_mail() => {}
            () = hub.stopping() => return Ok(Over::Stopping),
        }
    }
}

impl State {
    /// Takes one message of the keeper.
    pub(super) fn hear(&mut self, (message, fds): Received<ToDaemon>) {
        match message {
            ToDaemon::Grown { slots } => {
                for slot in slots {
                    if let Some(id) = self.keeper.slots.get(&slot).cloned() {
                        self.mark_dirty(&id);
                    }
                }
            }
            ToDaemon::Starting {
                session,
                slot,
                offset,
            } => self.starts(&session, slot, offset, fds),
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
                    is_terminal,
                };
                self.spawn_failed(&session, failure);
            }
            ToDaemon::Exited { session, exit } => self.exited(&session, exit),
            ToDaemon::Closed { session } => {
                if let Some(driver) = self.drivers.get_mut(&session) {
                    driver.closed();
                }
                if let Some(session) = self.registry.get_mut(&session) {
                    session.tty_open = false;
                }
                self.release(&session);
            }
            ToDaemon::Stopped { session, stopped } => self.set_paused(&session, stopped),
            ToDaemon::Degraded { session, reason } => {
                match &reason {
                    Some(why) => tracing::warn!(%session, why, "its log cannot be written"),
                    None => tracing::info!(%session, "its log can be written again"),
                }
                self.degraded(&session, reason, fds.into_iter().next());
            }
            ToDaemon::Seen {
                session,
                ask,
                sight,
            } => self.input_seen(&session, ask, sight),
            ToDaemon::OnExitBegan { session } => {
                if let Some(driver) = self.drivers.get_mut(&session) {
                    driver.on_exit_began();
                }
                if let Some(session) = self.registry.get_mut(&session) {
                    session.life.on_exit_began();
                }
                self.persist(&session);
            }
            ToDaemon::OnExitEnded { session, failure } => self.on_exit_ended(&session, failure),
            ToDaemon::Cleared {
                session,
                first,
                failure,
            } => {
                if let Some(first) = first {
                    self.log_begins_at(&session, first);
                }
                let outcome = first.ok_or_else(|| failure.unwrap_or_else(unknown));
                for answer in self.keeper.clearing.remove(&session).unwrap_or_default() {
                    let _ = answer.send(outcome.clone());
                }
            }
            ToDaemon::Forgotten { session } => {
                // Only now nothing is written there any more.
                self.store.remove(&session);
                for done in self.keeper.forgetting.remove(&session).unwrap_or_default() {
                    let _ = done.send(());
                }
            }
            ToDaemon::TakenOver { version } => {
                tracing::info!(
                    pid = self.keeper.process.pid,
                    version,
                    "the next keeper is up"
                );
                self.keeper.process.version = version;
                self.keeper.is_upgrading = false;
                // The one before may have been about to ring, and rings no more.
                let ids: Vec<SessionId> = self.drivers.keys().cloned().collect();
                for id in &ids {
                    self.mark_dirty(id);
                }
            }
            ToDaemon::Listening => {
                if let Some(listener) = fds.into_iter().next() {
                    tracing::info!("clients come by another socket");
                    self.keeper.shared.listener = listener;
                    self.keeper.listener_changed = true;
                }
            }
            ToDaemon::Upgraded { version, error } => {
                tracing::info!(version, error, "the keeper was upgraded");
                self.keeper.process.version = version;
                self.keeper.is_upgrading = false;
                self.keeper.upgrade_error = error;
            }
            ToDaemon::Welcome { .. } | ToDaemon::Adopt(_) => {
                tracing::warn!("a greeting of the keeper came late");
            }
        }
    }

    /// A log is not being written any more, or is again.
    fn degraded(&mut self, id: &SessionId, reason: Option<String>, tail: Option<OwnedFd>) {
        let shared_table = self.keeper.shared_table().clone();
        if let Some(driver) = self.drivers.get_mut(id) {
            driver.degraded(reason.clone(), tail, &shared_table);
        }
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        session.log_degraded.clone_from(&reason);
        let data = serde_json::json!({ "reason": reason, "unsavedBytes": self.unsaved(id) });
        self.publish(EventKind::OutputDropped, id, data);
    }

    fn exited(&mut self, id: &SessionId, exit: Exit) {
        let probes = self.registry.get(id).is_some_and(|s| s.probes_output());
        let wait_for_output = (probes || self.waits.read_output(id))
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
        let eager = self.waits.want_input(id);
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        if session.life.set_paused(paused) {
            session.input.forget(now().boot, eager, self.looks.last());
            let kind = if paused {
                EventKind::Paused
            } else {
                EventKind::Resumed
            };
            self.publish(kind, id, serde_json::json!({}));
            self.persist(id);
            self.arm_input(id);
            self.look(id);
        }
    }
}

/// A keeper of an older version does not say why.
fn unknown() -> Failure {
    Failure {
        errno: None,
        message: "the keeper does not say why".to_owned(),
    }
}

/// A second descriptor of the keeper's socket, to wait on.
pub(super) fn waiting_end(channel: &Channel) -> io::Result<OwnedFd> {
    channel.as_fd().try_clone_to_owned()
}
