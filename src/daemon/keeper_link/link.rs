//! The socket to the keeper, and the unanswered requests.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::rc::Rc;

use tokio::sync::oneshot;

use super::process::KeeperProcess;
use super::starts::Spawning;
use crate::protocol::keeper::{Failure, ToDaemon, ToKeeper};
use crate::protocol::{Inherit, SessionId};
use crate::sys::channel::{Channel, Received};
use crate::sys::inherit;
use crate::sys::shared_table::SharedTable;
use crate::sys::splice::SplicePipe;

/// Receives the reply to a `Clear`: the offset at which the log starts afterwards.
type ClearAnswer = oneshot::Sender<Result<u64, Failure>>;

/// What keeper and daemon share. It stays the same when one keeper replaces another.
pub(crate) struct Shared {
    pub(crate) shared_table: Rc<SharedTable>,
    /// Both ends of the splice pipe, held for the next keeper.
    pub(crate) pipe: SplicePipe,
    /// A duplicate of the listening socket, held for the next keeper.
    pub(crate) listener: OwnedFd,
    /// Soft limit of open files that jobs start with.
    pub(crate) files: Option<u64>,
}

/// The daemon's view of the keeper.
pub(crate) struct KeeperLink {
    channel: Channel,
    shared: Shared,
    process: KeeperProcess,
    pub(super) spawning: HashMap<SessionId, Spawning>,
    /// Number of `Spawn` requests sent to this keeper.
    pub(super) spawns: u64,
    clearing: HashMap<SessionId, Vec<ClearAnswer>>,
    /// Removed sessions that the keeper has not forgotten yet, and the callers that wait until it
    /// has.
    forgetting: HashMap<SessionId, Vec<oneshot::Sender<()>>>,
    /// Sessions by their slot in the shared table.
    slots: HashMap<u32, SessionId>,
    is_quitting: bool,
    /// Whether `shared.listener` is new and no task accepts from it yet.
    listener_changed: bool,
    /// Whether an upgrade of the keeper is pending. No client is served during it.
    is_upgrading: bool,
    upgrade_error: Option<String>,
    /// What the keeper keeps for the next daemon, by name; kept here too, for the next keeper.
    pub(super) stored: BTreeMap<String, OwnedFd>,
}

impl KeeperLink {
    pub(crate) fn new(
        channel: Channel,
        shared: Shared,
        process: KeeperProcess,
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
            stored: BTreeMap::new(),
        }
    }

    pub(crate) fn shared_table(&self) -> &Rc<SharedTable> {
        &self.shared.shared_table
    }

    /// What a job inherits from the keeper by default. The daemon has the same values as the
    /// keeper, except for the limit of open files, which both have raised; jobs get the original
    /// one.
    pub(crate) fn handed_on(&self) -> Inherit {
        let mut own = inherit::own();
        if let Some(files) = own.limits.get_mut("nofile") {
            files.soft = self.shared.files;
        }
        own
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn process(&self) -> &KeeperProcess {
        &self.process
    }

    pub(crate) fn process_mut(&mut self) -> &mut KeeperProcess {
        &mut self.process
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid
    }

    /// The keeper's version; empty, as in replies, until it has taken over.
    pub(crate) fn version(&self) -> &str {
        self.process.version.as_deref().unwrap_or_default()
    }

    /// Whether the listening socket was replaced and no task has taken the new one yet.
    pub(crate) fn has_new_listener(&self) -> bool {
        self.listener_changed
    }

    /// A duplicate of the listening socket, for the task that accepts from it. After this call,
    /// [`Self::has_new_listener`] returns false.
    pub(crate) fn take_listener(&mut self) -> io::Result<UnixListener> {
        self.listener_changed = false;
        Ok(self.shared.listener.try_clone()?.into())
    }

    /// Whether an upgrade of the keeper is pending. No client is served during it.
    pub(crate) fn is_upgrading(&self) -> bool {
        self.is_upgrading
    }

    /// Why the last upgrade failed, if it did.
    pub(crate) fn upgrade_error(&self) -> Option<&str> {
        self.upgrade_error.as_deref()
    }

    /// Sends a message, now or as soon as the socket has room. Errors are ignored here: the task that reads the
    /// socket notices when the keeper is gone.
    pub(crate) fn send(&mut self, message: &ToKeeper) {
        self.send_with(message, vec![]);
    }

    /// Sends a message with descriptors.
    pub(super) fn send_with(&mut self, message: &ToKeeper, fds: Vec<OwnedFd>) {
        let _ = self.channel.send(message, fds);
    }

    /// Ends the keeper: with `now` at once, else when no `onExit` command is left.
    pub(crate) fn quit(&mut self, now: bool) {
        self.is_quitting = true;
        self.send(&if now {
            ToKeeper::Quit
        } else {
            ToKeeper::QuitIdle
        });
    }

    /// Queues a message, to be sent together with others by the keeper task.
    pub(crate) fn send_soon(&mut self, message: &ToKeeper) {
        let _ = self.channel.queue(message, vec![]);
    }

    pub(crate) fn wants_to_send(&self) -> bool {
        self.channel.wants_to_send()
    }

    /// Reads the messages that have arrived. An error means that the keeper is gone.
    pub(crate) fn receive(&mut self) -> io::Result<Vec<Received<ToDaemon>>> {
        self.channel.receive(&[])
    }

    /// Sends queued messages as far as the socket has room.
    pub(crate) fn flush(&mut self) {
        // Errors are ignored: the task that reads the socket notices when the keeper is gone.
        let _ = self.channel.flush();
    }

    /// Whether the keeper was told to quit.
    pub(crate) fn is_quitting(&self) -> bool {
        self.is_quitting
    }

    /// Drops the pending starts and clears of a session.
    pub(crate) fn give_up(&mut self, id: &SessionId) {
        self.spawning.remove(id);
        self.clearing.remove(id);
    }

    /// Whether a log is being cleared.
    pub(crate) fn is_clearing(&self, id: &SessionId) -> bool {
        self.clearing.contains_key(id)
    }

    /// Asks the keeper to forget a session. The receiver fires when the files of the session are
    /// deleted.
    pub(crate) fn forget(&mut self, id: &SessionId) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.forgetting.entry(id.clone()).or_default().push(sender);
        self.send(&ToKeeper::Forget {
            session: id.clone(),
        });
        receiver
    }

    /// Asks the keeper to clear a log. The receiver gets the offset at which the log starts
    /// afterwards.
    pub(crate) fn clear(&mut self, id: &SessionId) -> oneshot::Receiver<Result<u64, Failure>> {
        let (sender, receiver) = oneshot::channel();
        self.clearing.entry(id.clone()).or_default().push(sender);
        self.send(&ToKeeper::Clear {
            session: id.clone(),
        });
        receiver
    }

    /// Answers the pending clears of a log.
    pub(crate) fn cleared(&mut self, id: &SessionId, outcome: &Result<u64, Failure>) {
        for answer in self.clearing.remove(id).unwrap_or_default() {
            // Fails if the request was cancelled.
            let _ = answer.send(outcome.clone());
        }
    }

    /// Notifies the callers that wait until the keeper has forgotten a session.
    pub(crate) fn forgotten(&mut self, id: &SessionId) {
        for done in self.forgetting.remove(id).unwrap_or_default() {
            let _ = done.send(());
        }
    }

    /// Notes the slot of a session in the shared table.
    pub(crate) fn take_slot(&mut self, slot: u32, id: &SessionId) {
        self.slots.insert(slot, id.clone());
    }

    /// The session at this slot.
    pub(crate) fn session_at(&self, slot: u32) -> Option<&SessionId> {
        self.slots.get(&slot)
    }

    /// Replaces the listening socket.
    pub(crate) fn listens_on(&mut self, listener: OwnedFd) {
        self.shared.listener = listener;
        self.listener_changed = true;
    }

    /// Notes that the keeper is ready, and its version.
    pub(crate) fn set_ready(&mut self, version: String) {
        self.process.version = Some(version);
        self.is_upgrading = false;
    }

    /// Notes that an upgrade of the keeper is over, the keeper's version, and why the upgrade failed, if it did.
    pub(crate) fn set_upgraded(&mut self, version: String, error: Option<String>) {
        self.set_ready(version);
        self.upgrade_error = error;
    }

    /// Connects to another keeper, and repeats all requests that the previous keeper has not
    /// answered.
    pub(crate) fn replace(&mut self, channel: Channel, process: KeeperProcess) {
        self.channel = channel;
        self.process = process;
        // Repeat clears before starts: a log is cleared before a new run writes to it.
        let clearing: Vec<SessionId> = self.clearing.keys().cloned().collect();
        for session in clearing {
            self.send(&ToKeeper::Clear { session });
        }
        let forgetting: Vec<SessionId> = self.forgetting.keys().cloned().collect();
        for session in forgetting {
            self.send(&ToKeeper::Forget { session });
        }
        self.send_all_stored();
        self.spawn_all_again();
    }
}

/// A duplicate of the keeper's socket, to wait on.
pub(crate) fn waiting_end(channel: &Channel) -> io::Result<OwnedFd> {
    channel.as_fd().try_clone_to_owned()
}
