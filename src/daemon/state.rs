//! Everything the daemon knows.

use std::collections::{HashMap, HashSet, VecDeque};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

use super::hub::now;
use super::input::Input;
use super::keeper_link::KeeperLink;
use super::log_quota::LogQuota;
use super::log_reader::LogReader;
use super::outbox::Outbox;
use super::removed::RemovedFile;
use super::settings::Settings;
use super::store::Store;
use crate::engine::Now;
use crate::engine::bus::{Bus, ConnectionId};
use crate::engine::registry::Registry;
use crate::engine::session::{Session, is_offloaded};
use crate::engine::timers::{Due, Timers};
use crate::engine::waits::{Pending, Ticket, Verdict, Waits};
use crate::protocol::keeper::{Exit, ToKeeper};
use crate::protocol::{EventKind, Record, Scope, SessionId, Status};
use crate::sys::signal;

/// Characters of output in a completion message.
const COMPLETION_CHARS: usize = 2000;

/// What the daemon holds for a session besides what the engine knows.
pub(super) struct Driver {
    /// Its slot on the board, while the keeper has it.
    pub(super) slot: Option<u32>,
    /// Where to write.
    pub(super) input: Option<Rc<Input>>,
    /// A handle on its first process.
    pub(super) pidfd: Option<Rc<OwnedFd>>,
    /// Its log.
    pub(super) log: LogReader,
    /// How it ended, until its output up to then has been looked at.
    pub(super) pending_exit: Option<Exit>,
    /// Rung when its screen changes.
    pub(super) watchers: Vec<Rc<Notify>>,
    /// When its next live `output` event may be sent, in boot-time milliseconds.
    pub(super) next_output_event: u64,
    /// Up to where the growth of its log was counted.
    pub(super) measured: u64,
    /// Bytes that were dropped and not told of yet.
    pub(super) dropped: u64,
    /// When its next `output_dropped` event may be sent, in boot-time milliseconds.
    pub(super) next_dropped_event: u64,
}

impl Driver {
    /// What there is of a session before its program runs: its log.
    pub(super) fn new(log: LogReader) -> Self {
        Self {
            slot: None,
            input: None,
            pidfd: None,
            log,
            pending_exit: None,
            watchers: Vec::new(),
            next_output_event: 0,
            measured: 0,
            dropped: 0,
            next_dropped_event: 0,
        }
    }
}

/// Everything the daemon knows.
pub(super) struct State {
    pub(super) store: Store,
    pub(super) settings: Settings,
    pub(super) registry: Registry,
    pub(super) waits: Waits,
    pub(super) timers: Timers,
    pub(super) bus: Bus,
    pub(super) keeper: KeeperLink,
    pub(super) drivers: HashMap<SessionId, Driver>,
    pub(super) outboxes: HashMap<ConnectionId, Rc<Outbox>>,
    pub(super) started_boot: u64,
    /// Sessions of which a new run is being started.
    pub(super) restarting: HashSet<SessionId>,
    pub(super) removed: RemovedFile,
    pub(super) log_quota: LogQuota,
    verdicts: HashMap<Ticket, oneshot::Sender<Verdict>>,
    dirty: VecDeque<SessionId>,
    is_dirty: HashSet<SessionId>,
    last_connection: u64,
}

impl State {
    pub(super) fn new(store: Store, settings: Settings, keeper: KeeperLink) -> Self {
        Self {
            removed: RemovedFile::new(store.home()),
            log_quota: LogQuota::new(settings.total_log_bytes),
            store,
            settings,
            registry: Registry::new(settings.caps),
            waits: Waits::default(),
            timers: Timers::default(),
            bus: Bus::default(),
            keeper,
            drivers: HashMap::new(),
            outboxes: HashMap::new(),
            started_boot: now().boot,
            restarting: HashSet::new(),
            verdicts: HashMap::new(),
            dirty: VecDeque::new(),
            is_dirty: HashSet::new(),
            last_connection: 0,
        }
    }

    /// Names a connection.
    pub(super) fn add_connection(&mut self, outbox: Rc<Outbox>) -> ConnectionId {
        self.last_connection += 1;
        let id = ConnectionId(self.last_connection);
        self.outboxes.insert(id, outbox);
        id
    }

    /// A session has output that was not looked at.
    pub(super) fn mark_dirty(&mut self, id: &SessionId) {
        if self.is_dirty.insert(id.clone()) {
            self.dirty.push_back(id.clone());
        }
    }

    pub(super) fn has_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// The session whose turn it is.
    pub(super) fn next_dirty(&mut self) -> Option<SessionId> {
        let id = self.dirty.pop_front()?;
        self.is_dirty.remove(&id);
        Some(id)
    }

    /// Where a session's log ends now.
    pub(super) fn log_end(&self, id: &SessionId) -> u64 {
        let seen = self
            .registry
            .get(id)
            .map_or(0, |session| session.output.end());
        let slot = self.drivers.get(id).and_then(|driver| driver.slot);
        slot.map_or(seen, |slot| self.keeper.board().slot(slot).end().max(seen))
    }

    /// Where a session's log begins now.
    pub(super) fn log_first(&self, id: &SessionId) -> u64 {
        let seen = self
            .registry
            .get(id)
            .map_or(0, |session| session.output.first());
        let slot = self.drivers.get(id).and_then(|driver| driver.slot);
        slot.map_or(seen, |slot| {
            self.keeper.board().slot(slot).first().max(seen)
        })
    }

    /// Its record, with what only the system knows.
    pub(super) fn record(&self, session: &Session, now: Now) -> Record {
        let mut record = session.record(now, signal::name);
        record.summary.output_bytes = self.log_end(&session.id);
        record.summary.offloaded = is_offloaded(record.summary.output_bytes);
        record.dropped_bytes = self.log_first(&session.id);
        if record.summary.offloaded
            && let Some(driver) = self.drivers.get(&session.id)
        {
            record.output_files = driver.log.files();
            record.summary.output_file = record.output_files.last().map(|file| file.path.clone());
        }
        record
    }

    /// Tells an event to whoever subscribed.
    pub(super) fn publish(&mut self, kind: EventKind, id: &SessionId, data: Value) {
        let scope = self.registry.get(id).map(|session| session.scope.clone());
        if let Some(scope) = scope {
            self.publish_for(kind, &scope, id, data);
        }
    }

    /// The same for a session that is not registered any more.
    pub(super) fn publish_for(
        &mut self,
        kind: EventKind,
        scope: &Scope,
        id: &SessionId,
        data: Value,
    ) {
        let (event, to) = self.bus.publish(kind, scope, id, data, now());
        for connection in to {
            if let Some(outbox) = self.outboxes.get(&connection) {
                outbox.push_event(&event);
            }
        }
    }

    /// Adds a wait whose verdict goes to `sender`.
    pub(super) fn add_wait(
        &mut self,
        pending: Pending,
        sender: oneshot::Sender<Verdict>,
    ) -> Ticket {
        let ticket = self.waits.add(pending);
        self.verdicts.insert(ticket, sender);
        self.arm_wait(ticket);
        ticket
    }

    pub(super) fn forget_wait(&mut self, ticket: Ticket) {
        self.waits.remove(ticket);
        self.verdicts.remove(&ticket);
        self.timers.set(Due::Wait(ticket), None);
    }

    /// Sets the clock for a wait.
    pub(super) fn arm_wait(&mut self, ticket: Ticket) {
        let registry = &self.registry;
        let due = self.waits.due(ticket, |id| Some(&registry.get(id)?.output));
        self.timers.set(Due::Wait(ticket), due);
    }

    /// Tells those whose waits are over.
    pub(super) fn resolve(&mut self, over: Vec<Ticket>) {
        for ticket in over {
            self.timers.set(Due::Wait(ticket), None);
            let pending = self.waits.remove(ticket);
            if let (Some(pending), Some(sender)) = (pending, self.verdicts.remove(&ticket)) {
                // Nobody is there any more if the request was cancelled.
                let _ = sender.send(pending.verdict());
            }
        }
    }

    /// Looks at a session for the waits on it, after something other than output.
    pub(super) fn look(&mut self, id: &SessionId) {
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        let status = session.life.status();
        let over = self.waits.look(id, &mut session.output, status, now().boot);
        self.resolve(over);
    }

    /// Writes down what is to be known of a session later.
    pub(super) fn persist(&mut self, id: &SessionId) {
        if let Some(session) = self.registry.get_mut(id) {
            self.store.write_meta(session);
            session.saved();
        }
        self.registry.arm(id, &mut self.timers);
    }

    /// A session's first process has ended, and its output has been looked at.
    pub(super) fn finish(&mut self, id: &SessionId, exit: &Exit) {
        let now = now();
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        session.life.ended(exit, exit.signal.map(signal::name), now);
        session.touch(now);
        let scope = session.scope.clone();
        if let Some(driver) = self.drivers.get_mut(id) {
            driver.pidfd = None;
        }
        self.persist(id);
        self.release(id);
        let data = self.completion(id, now);
        self.publish(EventKind::Exited, id, data);
        self.look(id);
        for surplus in self.registry.surplus(&scope) {
            self.remove(&surplus);
        }
    }

    /// Lets go of what a session has no use for once it has ended and nobody has
    /// its terminal any more.
    pub(super) fn release(&mut self, id: &SessionId) {
        let is_over = self
            .registry
            .get(id)
            .is_some_and(|session| session.life.status().is_finished() && !session.tty_open);
        if let Some(driver) = self.drivers.get_mut(id).filter(|_| is_over) {
            driver.input = None;
            driver.log.set_growing(false);
            self.log_may_be_cut();
        }
        self.registry.arm(id, &mut self.timers);
    }

    /// The completion message of a session that has ended.
    fn completion(&mut self, id: &SessionId, now: Now) -> Value {
        let output = super::text::tail(self, id, COMPLETION_CHARS);
        let Some(session) = self.registry.get(id) else {
            return Value::Null;
        };
        json!({
            "label": session.spec.label,
            "command": session.spec.command,
            "status": session.life.status(),
            "exitCode": session.life.exit_code(),
            "signal": session.life.signal().map(signal::name),
            "runtimeMs": session.life.runtime_ms(now),
            "output": output,
        })
    }

    /// Forgets a session and its files.
    pub(super) fn remove(&mut self, id: &SessionId) {
        let Some(mut session) = self.registry.remove(id, now()) else {
            return;
        };
        self.registry.arm(id, &mut self.timers);
        // Whoever waits for it will not be told anything else.
        let over = self
            .waits
            .look(id, &mut session.output, Status::Lost, now().boot);
        self.resolve(over);
        for watcher in self
            .drivers
            .remove(id)
            .map_or_else(Vec::new, |driver| driver.watchers)
        {
            watcher.notify_one();
        }
        self.restarting.remove(id);
        self.keeper.give_up(id);
        self.keeper.send(&ToKeeper::Forget {
            session: id.clone(),
        });
        self.store.remove(id);
        self.removed.add(id, &self.registry.tombstones);
        self.publish_for(EventKind::Removed, &session.scope, id, json!({}));
    }
}
