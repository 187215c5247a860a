//! CPU and memory use of sessions, measured only when a client asks.
//!
//! One scan of `/proc` serves all sessions and all requests within [`INTERVAL_MS`] or longer, so that the cost
//! grows neither with the sessions nor with the dashboards.

use std::collections::HashMap;

use super::Sessions;
use crate::daemon::clock::now;
use crate::engine::session::Session;
use crate::engine::usage::{INTERVAL_MS, Meter};
use crate::protocol::{SessionId, Summary};
use crate::sys::usage::{self, Usage};

/// A scan of many processes takes milliseconds. The next one starts at the earliest after this many times its
/// duration, so that scans take at most a twentieth of one processor.
const PAUSES: u64 = 20;

/// The last scan.
#[derive(Default)]
pub(crate) struct LastUsage {
    /// When the last scan started, and when the next one may start, in boot-time milliseconds.
    began: u64,
    next: u64,
    found: HashMap<SessionId, (Usage, Option<f64>)>,
    meters: HashMap<SessionId, Meter>,
}

impl LastUsage {
    /// Forgets the values of a session that has ended.
    pub(crate) fn forget(&mut self, id: &SessionId) {
        self.found.remove(id);
    }

    /// Whether the last scan is recent enough and covers the current runs of these sessions.
    pub(crate) fn is_fresh<'a>(&self, mut sessions: impl Iterator<Item = &'a Session>) -> bool {
        now().boot < self.next
            && sessions.all(|session| {
                !session.life.status().is_alive() || session.life.started_boot() < self.began
            })
    }

    /// Measures all sessions.
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

    /// Adds the values of the last scan to a session's summary. Returns the number of its processes.
    pub(crate) fn add_to(&self, summary: &mut Summary) -> u32 {
        let Some((usage, percent)) = self.found.get(&summary.session_id) else {
            return 0;
        };
        summary.cpu_percent = *percent;
        summary.memory_bytes = Some(usage.memory_bytes);
        usage.processes
    }
}
