//! Everything the daemon knows.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use serde_json::json;
use tokio::sync::{Notify, oneshot};

use super::asks::Asks;
use super::driver::Driver;
use super::hub::now;
use super::input_log::InputLogs;
use super::journal::Journal;
use super::keeper_link::KeeperLink;
use super::log_quota::LogQuota;
use super::outbox::Outbox;
use super::removed::RemovedFile;
use super::settings::Settings;
use super::sight::Looks;
use super::store::Store;
use super::usage::LastUsage;
use super::walk::Walk;
use crate::engine::Now;
use crate::engine::bus::{Bus, ConnectionId};
use crate::engine::life::Actor;
use crate::engine::registry::Registry;
use crate::engine::session::{Session, is_offloaded};
use crate::engine::timers::{Due, Timers};
use crate::engine::wait_inputs::WaitInputs;
use crate::engine::waits::{Pending, Ticket, Verdict, Waits};
use crate::protocol::keeper::Exit;
use crate::protocol::record::OutputFile;
use crate::protocol::{EventKind, Record, SessionId, Status, Summary};
use crate::sys::signal;

/// Everything the daemon knows.
pub(super) struct State {
    pub(super) store: Store,
    pub(super) settings: Settings,
    pub(super) registry: Registry,
    pub(super) waits: Waits,
    pub(super) timers: Timers,
    pub(super) bus: Bus,
    /// Rung when something of the lifecycle has happened.
    pub(super) happened: Rc<Notify>,
    pub(super) keeper: KeeperLink,
    pub(super) drivers: HashMap<SessionId, Driver>,
    pub(super) outboxes: HashMap<ConnectionId, Rc<Outbox>>,
    pub(super) started_boot: u64,
    /// Sessions of which a new run is being started, and who asked for it; nobody: their restart policy.
    pub(super) restarting: HashMap<SessionId, Option<Actor>>,
    pub(super) journal: Journal,
    pub(super) removed: RemovedFile,
    pub(super) log_quota: LogQuota,
    pub(super) looks: Looks,
    pub(super) input_logs: InputLogs,
    pub(super) usage: LastUsage,
    pub(super) asks: Asks,
    pub(super) walk: Walk,
    verdicts: HashMap<Ticket, oneshot::Sender<Verdict>>,
    dirty: VecDeque<SessionId>,
    is_dirty: HashSet<SessionId>,
    last_connection: u64,
}

impl State {
    pub(super) fn new(store: Store, settings: Settings, keeper: KeeperLink) -> Self {
        let (journal, past) = Journal::open(store.home().journal());
        let started_boot = now().boot;
        Self {
            removed: RemovedFile::new(store.home()),
            log_quota: LogQuota::new(settings.total_log_bytes),
            usage: LastUsage::default(),
            asks: Asks::default(),
            walk: Walk::default(),
            store,
            settings,
            registry: Registry::new(settings.caps),
            waits: Waits::default(),
            timers: Timers::default(),
            // From the clock, so that no daemon gives a subscription the name that
            // one before it gave to another: none makes a thousand in a millisecond.
            bus: Bus::new(past, started_boot * 1000),
            happened: Rc::default(),
            keeper,
            drivers: HashMap::new(),
            outboxes: HashMap::new(),
            started_boot,
            restarting: HashMap::new(),
            journal,
            looks: Looks::default(),
            input_logs: InputLogs::default(),
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
        let driver = self.drivers.get(id);
        seen.max(driver.map_or(0, |driver| self.end_of(driver)))
    }

    fn end_of(&self, driver: &Driver) -> u64 {
        match driver.slot() {
            Some(slot) => self.keeper.shared_table().slot(slot).end(),
            None => driver.end,
        }
    }

    /// Where a session's log begins now.
    pub(super) fn log_first(&self, id: &SessionId) -> u64 {
        let seen = self
            .registry
            .get(id)
            .map_or(0, |session| session.output.first());
        let slot = self.drivers.get(id).and_then(Driver::slot);
        slot.map_or(seen, |slot| {
            self.keeper.shared_table().slot(slot).first().max(seen)
        })
    }

    /// Bytes after the first one that no file has.
    pub(super) fn unsaved(&self, id: &SessionId) -> u64 {
        let Some(driver) = self.drivers.get(id) else {
            return 0;
        };
        match driver.slot() {
            Some(slot) => self.keeper.shared_table().slot(slot).unsaved(),
            None => driver.unsaved,
        }
    }

    /// Its record, with what only the system knows.
    pub(super) fn record(&self, session: &Session, now: Now) -> Record {
        let mut record = session.record(now, signal::name);
        record.asked = self.asks.about(&session.id);
        let driver = self.drivers.get(&session.id);
        record.output_files = self.add_log(&mut record.summary, driver);
        record.dropped_bytes += driver.map_or(0, |driver| match driver.slot() {
            Some(slot) => {
                let slot = self.keeper.shared_table().slot(slot);
                slot.first().saturating_sub(record.dropped_bytes) + slot.unsaved()
            }
            None => driver.unsaved,
        });
        record
    }

    /// The part of its record that agents get of each session.
    pub(super) fn summary(&self, session: &Session, now: Now) -> Summary {
        let mut summary = session.summary(now, signal::name);
        self.add_log(&mut summary, self.drivers.get(&session.id));
        summary
    }

    /// Adds how much is in a session's log, and where; returns its files if they are worth reading.
    fn add_log(&self, summary: &mut Summary, driver: Option<&Driver>) -> Vec<OutputFile> {
        let there = driver.map_or(0, |driver| self.end_of(driver));
        summary.output_bytes = summary.output_bytes.max(there);
        summary.offloaded = is_offloaded(summary.output_bytes);
        let offloaded = driver.filter(|_| summary.offloaded);
        let files =
            offloaded.map_or_else(Vec::new, |driver| driver.files(self.keeper.shared_table()));
        summary.output_file = files.last().map(|file| file.path.clone());
        files
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
        let wants = self
            .waits
            .conditions(ticket)
            .map_or((false, false), |wanted| {
                let ports = wanted.wants_ready() || wanted.ports().next().is_some();
                (wanted.wants_input(), ports)
            });
        for id in self.waits.undecided(ticket) {
            if wants.0 {
                self.hurry_input(&id);
            }
            if wants.1 {
                self.await_ports(&id);
            }
        }
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
        let facts = WaitInputs {
            restarting: self.restarting.contains_key(id),
            ..session.facts()
        };
        let over = self.waits.look(id, &mut session.output, facts, now().boot);
        if session.output.awake_screen().is_some() {
            self.rest_later();
        }
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
        tracing::debug!(session = %id, status = session.life.status().as_str(), "ended");
        if let Some(driver) = self.drivers.get_mut(id) {
            driver.ended(exit);
        }
        self.usage.forget(id);
        self.release_keyboard(id);
        self.forget_asks(id);
        if let Some(limit) = &exit.limit {
            let session = self.registry.get(id);
            let reason = session
                .and_then(|session| session.life.reason())
                .map(str::to_owned);
            self.publish(
                EventKind::Limit,
                id,
                json!({ "limit": limit, "reason": reason }),
            );
        }
        self.run_over(id);
    }

    /// Bytes of a session's log that are kept at least.
    pub(super) fn log_bytes(&self, session: &Session) -> u64 {
        let own = session.spec.limits.and_then(|limits| limits.log_bytes);
        own.unwrap_or(self.settings.log_bytes)
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
            self.rest_ended(id);
        }
        self.registry.arm(id, &mut self.timers);
    }

    /// Forgets a session and its files. Whoever wants to know when those are gone is told, if it was there.
    pub(super) fn remove(&mut self, id: &SessionId) -> Option<oneshot::Receiver<()>> {
        self.forget_asks(id);
        let mut session = self.registry.remove(id, now())?;
        self.registry.arm(id, &mut self.timers);
        self.arm_input(id);
        let data = json!({ "label": session.spec.label });
        self.publish_for(EventKind::Removed, &session.scope, id, data);
        self.bus.set_shared(id, false);
        // Whoever waits for it will not be told anything else.
        let over = self.waits.look(
            id,
            &mut session.output,
            WaitInputs::of(Status::Lost),
            now().boot,
        );
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
        // What it has written last may be on its way to its directory, which goes when the keeper has let go of it.
        self.store.remove_meta(id);
        self.removed.add(id, &self.registry.tombstones);
        self.give_back_later();
        Some(self.keeper.forget(id))
    }
}
