//! What sessions use of the machine, looked up only when somebody asks.
//!
//! One look at `/proc` serves all sessions and everybody who asks within
//! [`INTERVAL_MS`] or longer, so that neither many sessions nor many dashboards cost more.

use std::collections::HashMap;

use super::Sessions;
use crate::daemon::clock::now;
use crate::engine::session::Session;
use crate::engine::usage::{INTERVAL_MS, Meter};
use crate::protocol::{SessionId, Summary};
use crate::sys::usage::{self, Usage};

/// A look at many processes takes milliseconds. The next one comes after so many times
/// what the last one took, which is a twentieth of a processor at most.
const PAUSES: u64 = 20;

/// The last look.
#[derive(Default)]
pub(crate) struct LastUsage {
    /// When it began, and when the next one may be, in boot-time milliseconds.
    began: u64,
    next: u64,
    found: HashMap<SessionId, (Usage, Option<f64>)>,
    meters: HashMap<SessionId, Meter>,
}

impl LastUsage {
    /// A session has ended: what it used is no news any more.
    pub(crate) fn forget(&mut self, id: &SessionId) {
        self.found.remove(id);
    }

    /// Whether the last look is recent enough and covers the present runs of these sessions.
    pub(crate) fn is_fresh<'a>(&self, mut sessions: impl Iterator<Item = &'a Session>) -> bool {
        now().boot < self.next
            && sessions.all(|session| {
                !session.life.status().is_alive() || session.life.started_boot() < self.began
            })
    }

    /// Looks up what every session uses.
    pub(crate) fn look(&mut self, sessions: &Sessions) {
        let began = now();
        let mut meters = std::mem::take(&mut self.meters);
        let leaders = sessions.leaders(HashMap::new());
        let found = usage::of_sessions(&leaders, |id| {
            let session = sessions.get(id);
            session.map_or(0, |session| session.life.started_boot())
        });
        let took = now().boot - began.boot;
        self.began = began.boot;
        self.next = began.boot + INTERVAL_MS.max(took * PAUSES);
        self.found.clear();
        for (id, usage) in found {
            let Some(session) = sessions.get(&id) else {
                continue;
            };
            let started = session.life.started_boot();
            let known = meters.remove(&id).filter(|meter| meter.is_of_run(started));
            let mut meter = known.unwrap_or_else(|| Meter::new(started, usage.older_cpu_ms));
            let percent = meter.look(usage.cpu_ms, began);
            self.meters.insert(id.clone(), meter);
            self.found.insert(id, (usage, percent));
        }
    }

    /// Adds what a session used at the last look to its summary. Returns the number of its
    /// processes.
    pub(crate) fn add_to(&self, summary: &mut Summary) -> u32 {
        let Some((usage, percent)) = self.found.get(&summary.session_id) else {
            return 0;
        };
        summary.cpu_percent = *percent;
        summary.memory_bytes = Some(usage.memory_bytes);
        usage.processes
    }
}
