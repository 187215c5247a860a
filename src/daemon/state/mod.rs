//! The state of the daemon, and the rules for each event that changes it.
//!
//! [`State`] is composed of parts that do not depend on each other: the [`sessions`], the [`events`], the
//! [`keeper_link`], the timers, the pending waits and some smaller ones. Its methods, one topic per file, are
//! the rules that connect them: when a program ends, its output is rendered, the event published, the record
//! saved, the waits decided and the next run planned.
//!
//! Everything here is synchronous and runs between two awaits. Tasks access it through [`hub`](super::hub).
//!
//! # Where things are
//!
//! *The life of a session*: `starts`, `lifecycle` (end and removal), `restart` (what follows an end), `saving` (its
//! record), `publish` (its events), `keeper_messages` (what the keeper says of it). *Output*: `output` renders it,
//! `render_queue` says whose turn it is, `repaint` paints it again at another size, `resting` puts unused screens to
//! rest, `emulator_fault` recovers from a failed emulator, `log_budget` limits all logs together. *Waiting*: `waiters`
//! (clients), `guests` (sessions that wait in a queue or for others), `human_requests` (agents that ask people).
//! *Input*: `input_probe` (whether a program waits for some), `keyboard` (who types), `sharing` (which agents may).
//! *Readiness*: `readiness`, `guessed_readiness`. *Projects*: `job_states` says how the session of each job is,
//! `projects` decides what follows, `phases` and `queues` tell clients; `schedules`, `watches`, `job_ports` and `hooks`
//! are parts of project files, `project_end` ends whole projects. *Elsewhere*: `hosts`, `batch` and `node`.
//!
//! [`sessions`]: super::sessions
//! [`events`]: super::events
//! [`keeper_link`]: super::keeper_link

mod batch;
mod emulator_fault;
pub(crate) mod guessed_readiness;
pub(crate) mod guests;
pub(crate) mod hooks;
mod hosts;
pub(crate) mod human_requests;
pub(crate) mod input_probe;
mod job_ports;
pub(crate) mod job_states;
mod keeper_messages;
mod keyboard;
mod lifecycle;
mod log_budget;
mod node;
pub(crate) mod output;
pub(crate) mod phases;
mod project_end;
pub(crate) mod projects;
pub(crate) mod publish;
pub(crate) mod queues;
mod readiness;
mod render_queue;
pub(crate) mod repaint;
mod restart;
mod resting;
pub(crate) mod saving;
mod schedules;
mod sharing;
mod starts;
mod waiters;
pub(crate) mod watches;

use std::collections::{HashMap, HashSet};

use crate::daemon::batch_systems::BatchSystems;
use crate::daemon::clock::now;
use crate::daemon::events::Events;
use crate::daemon::hosts::Hosts;
use crate::daemon::keeper_link::{ForNext, KeeperLink};
use crate::daemon::projects::Projects;
use crate::daemon::sessions::Sessions;
use crate::daemon::sessions::process_scan::ProcessScan;
use crate::daemon::sessions::usage::LastUsage;
use crate::daemon::settings::Settings;
use crate::daemon::storage::input_log::InputLogs;
use crate::daemon::storage::store::Store;
use crate::daemon::storage::tombstone_file::TombstoneFile;
use crate::engine::Now;
use crate::engine::life::Actor;
use crate::engine::registry::Registry;
use crate::engine::session::Session;
use crate::engine::timers::Timers;
use crate::protocol::node::NodeState;
use crate::protocol::status::InputState;
use crate::protocol::{Record, SessionId, Summary};
use crate::term::colors::Colors;
use hooks::Hooks;
use human_requests::HumanRequests;
use input_probe::InputProbes;
use log_budget::LogBudget;
use render_queue::RenderQueue;
use waiters::Waiters;

/// Everything the daemon knows.
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) sessions: Sessions,
    pub(crate) projects: Projects,
    pub(crate) hosts: Hosts,
    pub(crate) batch_systems: BatchSystems,
    pub(crate) events: Events,
    pub(crate) waiters: Waiters,
    pub(crate) timers: Timers,
    pub(crate) keeper: KeeperLink,
    /// The colours of the terminal in which somebody has last opened a view.
    pub(crate) colors: Option<Colors>,
    /// When this daemon started, in boot-time milliseconds.
    pub(crate) started_boot: u64,
    /// Sessions that are being restarted.
    pub(crate) restarting: HashMap<SessionId, Restarting>,
    /// Sessions that are removed once they have ended, so that their `onExit` is not run. No record says so: if the
    /// daemon ends meanwhile, the session is not removed, and its `onExit` is run.
    pub(crate) removing: HashSet<SessionId>,
    /// Number of the next restart.
    pub(crate) restarts: u64,
    pub(crate) hooks: Hooks,
    pub(crate) input_probes: InputProbes,
    pub(crate) input_logs: InputLogs,
    pub(crate) usage: LastUsage,
    pub(crate) human_requests: HumanRequests,
    pub(crate) process_scan: ProcessScan,
    pub(crate) render_queue: RenderQueue,
    /// What the daemon that submitted the session of this node was told last, and what its program waited for then.
    told_submitter: Option<(InputState, NodeState)>,
    /// Whether memory was freed that is to be given back to the system.
    has_freed: bool,
    tombstone_file: TombstoneFile,
    log_budget: LogBudget,
}

/// A restart that is under way.
pub(crate) struct Restarting {
    /// Who has asked for it; `None` is the restart policy.
    pub(crate) by: Option<Actor>,
    /// Tells it from later ones of the same session.
    pub(crate) number: u64,
}

impl State {
    pub(crate) fn new(store: Store, settings: Settings, keeper: KeeperLink) -> Self {
        let started_boot = now().boot;
        let mut registry = Registry::new(settings.caps);
        let tombstone_file = TombstoneFile::load(store.home(), &mut registry.tombstones, now());
        let events = Events::open(store.home(), keeper.kept(ForNext::Events), started_boot);
        let shared_table = keeper.shared_table().clone();
        let projects = Projects::load(store.home(), keeper.kept_projects());
        let hosts = Hosts::load(store.home());
        Self {
            sessions: Sessions::new(registry, store, shared_table, keeper.pid()),
            projects,
            hosts,
            batch_systems: BatchSystems::default(),
            events,
            waiters: Waiters::default(),
            timers: Timers::default(),
            keeper,
            colors: None,
            started_boot,
            restarting: HashMap::new(),
            removing: HashSet::new(),
            restarts: 0,
            hooks: Hooks::default(),
            input_probes: InputProbes::default(),
            input_logs: InputLogs::default(),
            usage: LastUsage::default(),
            human_requests: HumanRequests::default(),
            process_scan: ProcessScan::default(),
            render_queue: RenderQueue::default(),
            told_submitter: None,
            has_freed: false,
            tombstone_file,
            log_budget: LogBudget::new(settings.total_log_bytes),
            settings,
        }
    }

    /// The record of a session, as clients see it.
    pub(crate) fn record(&self, session: &Session, now: Now) -> Record {
        let asked = self.human_requests.about(&session.id);
        let mut record = self.sessions.record(session, asked, now);
        record.summary.project = self.project_role(session);
        record.summary.waiting = self.waiting(session);
        record
    }

    /// The short form of a record, which lists for agents contain.
    pub(crate) fn summary(&self, session: &Session, now: Now) -> Summary {
        let mut summary = self.sessions.summary(session, now);
        summary.project = self.project_role(session);
        summary.waiting = self.waiting(session);
        summary
    }

    /// Sets the timers of a session according to its state.
    pub(crate) fn arm(&mut self, id: &SessionId) {
        self.sessions.registry.arm(id, &mut self.timers);
    }

    /// Least number of log bytes to keep for a session.
    pub(crate) fn log_bytes(&self, session: &Session) -> u64 {
        let own = session.spec.limits.and_then(|limits| limits.log_bytes);
        own.unwrap_or(self.settings.log_bytes)
    }
}
