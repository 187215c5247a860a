//! What sessions use of the machine, looked up only when somebody asks.
//!
//! One look at `/proc` serves all sessions and everybody who asks within
//! [`INTERVAL_MS`], so that neither many sessions nor many dashboards cost more.

use std::collections::HashMap;

use super::hub::now;
use super::state::State;
use crate::engine::usage::{INTERVAL_MS, Meter};
use crate::protocol::{Record, SessionId};
use crate::sys::usage::{self, Usage};

/// The last look.
#[derive(Default)]
pub(super) struct LastUsage {
    /// When it was, in boot-time milliseconds.
    at: u64,
    found: HashMap<SessionId, (Usage, f64)>,
    meters: HashMap<SessionId, Meter>,
}

impl LastUsage {
    /// A session has ended: what it used is no news any more.
    pub(super) fn forget(&mut self, id: &SessionId) {
        self.found.remove(id);
    }
}

impl State {
    /// Looks what all sessions use, unless that has just been done and these were there.
    pub(super) fn look_at_usage(&mut self, asked: &[SessionId]) {
        let now = now();
        let is_alive = |id: &&SessionId| {
            let session = self.registry.get(id);
            session.is_some_and(|session| session.life.status().is_alive())
        };
        let mut alive = asked.iter().filter(is_alive);
        let fresh = now.boot.saturating_sub(self.usage.at) < INTERVAL_MS;
        if fresh && alive.all(|id| self.usage.found.contains_key(id)) {
            return;
        }
        let sessions = self.registry.iter();
        let sessions: Vec<_> = sessions
            .map(|session| (session.id.clone(), self.leader(&session.id)))
            .collect();
        let mut meters = std::mem::take(&mut self.usage.meters);
        self.usage.at = now.boot;
        self.usage.found.clear();
        for (id, usage) in usage::of_sessions(&sessions) {
            let Some(session) = self.registry.get(&id) else {
                continue;
            };
            let started = session.life.started_boot();
            let known = meters.remove(&id).filter(|meter| meter.is_of_run(started));
            let mut meter = known.unwrap_or_else(|| Meter::new(started));
            let percent = meter.look(usage.cpu_ms, now);
            self.usage.meters.insert(id.clone(), meter);
            self.usage.found.insert(id, (usage, percent));
        }
    }

    /// Adds what a session uses, as of the last look, to its record.
    pub(super) fn add_usage(&self, record: &mut Record) {
        let found = self.usage.found.get(&record.summary.session_id);
        record.processes = Some(found.map_or(0, |(usage, _)| usage.processes));
        if let Some((usage, percent)) = found {
            record.summary.cpu_percent = Some(*percent);
            record.summary.memory_bytes = Some(usage.memory_bytes);
        }
    }
}
