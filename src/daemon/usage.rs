//! What sessions use of the machine, looked up only when somebody asks.
//!
//! One look at `/proc` serves all sessions and everybody who asks within
//! [`INTERVAL_MS`] or longer, so that neither many sessions nor many dashboards cost more.

use std::collections::HashMap;

use super::hub::{self, now};
use super::state::State;
use crate::engine::session::Session;
use crate::engine::usage::{INTERVAL_MS, Meter};
use crate::protocol::{SessionId, Summary};
use crate::sys::usage::{self, Usage};

/// A look at many processes takes milliseconds. The next one comes after so many times
/// what the last one took, which is a twentieth of a processor at most.
const PAUSES: u64 = 20;

/// The last look.
#[derive(Default)]
pub(super) struct LastUsage {
    /// When it began, and when the next one may be, in boot-time milliseconds.
    began: u64,
    next: u64,
    found: HashMap<SessionId, (Usage, Option<f64>)>,
    meters: HashMap<SessionId, Meter>,
}

impl LastUsage {
    /// A session has ended: what it used is no news any more.
    pub(super) fn forget(&mut self, id: &SessionId) {
        self.found.remove(id);
    }
}

impl State {
    /// Whether what these use is known well enough.
    pub(super) fn knows_usage<'a>(&self, mut asked: impl Iterator<Item = &'a Session>) -> bool {
        let began = self.usage.began;
        now().boot < self.usage.next
            && asked.all(|session| {
                !session.life.status().is_alive() || session.life.started_boot() < began
            })
    }

    /// Looks what all sessions use.
    pub(super) fn look_at_usage(&mut self) {
        let now = now();
        let mut meters = std::mem::take(&mut self.usage.meters);
        let leaders = self.leaders(HashMap::new());
        let found = usage::of_sessions(&leaders, |id| {
            let session = self.registry.get(id);
            session.map_or(0, |session| session.life.started_boot())
        });
        let took = hub::now().boot - now.boot;
        self.usage.began = now.boot;
        self.usage.next = now.boot + INTERVAL_MS.max(took * PAUSES);
        self.usage.found.clear();
        for (id, usage) in found {
            let Some(session) = self.registry.get(&id) else {
                continue;
            };
            let started = session.life.started_boot();
            let known = meters.remove(&id).filter(|meter| meter.is_of_run(started));
            let mut meter = known.unwrap_or_else(|| Meter::new(started, usage.older_cpu_ms));
            let percent = meter.look(usage.cpu_ms, now);
            self.usage.meters.insert(id.clone(), meter);
            self.usage.found.insert(id, (usage, percent));
        }
    }

    /// Adds what a session uses, as of the last look, to the short form of its record;
    /// returns how many processes it has.
    pub(super) fn add_usage(&self, summary: &mut Summary) -> u32 {
        let Some((usage, percent)) = self.usage.found.get(&summary.session_id) else {
            return 0;
        };
        summary.cpu_percent = *percent;
        summary.memory_bytes = Some(usage.memory_bytes);
        usage.processes
    }
}
