//! CPU and memory use of sessions, measured only when a client asks.
//!
//! One walk through `/proc` serves all sessions and all requests for CPU and memory within [`INTERVAL_MS`] or longer, so
//! that the cost grows neither with the sessions nor with the dashboards. Requests for processes and ports share a walk
//! if they come while another one goes on.

use std::collections::HashMap;
use std::rc::Rc;

use super::Sessions;
use super::walk::Found;
use crate::daemon::clock::now;
use crate::engine::session::Session;
use crate::engine::usage::{INTERVAL_MS, Meter};
use crate::protocol::{SessionId, Summary};
use crate::sys::usage::Usage;

/// A walk through many processes takes milliseconds. The next one for CPU and memory starts at the earliest after this
/// many times its duration, so that these walks take at most a twentieth of one processor.
const PAUSES: u64 = 20;

/// What the last walk has found, and the usage that follows from it.
#[derive(Default)]
pub(crate) struct LastUsage {
    /// When the next walk for CPU and memory may start, in boot-time milliseconds.
    next: u64,
    last: Rc<Found>,
    usage: HashMap<SessionId, (Usage, Option<f64>)>,
    meters: HashMap<SessionId, Meter>,
}

impl LastUsage {
    /// Forgets the values of a session that has ended.
    pub(crate) fn forget(&mut self, id: &SessionId) {
        self.usage.remove(id);
    }

    /// Whether the last walk is recent enough and covers the current runs of these sessions.
    pub(crate) fn is_fresh<'a>(&self, mut sessions: impl Iterator<Item = &'a Session>) -> bool {
        now().boot < self.next
            && sessions.all(|session| {
                !session.life.status().has_process()
                    || session.life.started_boot() < self.last.began.boot
            })
    }

    /// What the last walk has found, if it began after `boot` (boot-time milliseconds) and was with ports.
    pub(crate) fn found_with_ports(&self, boot: u64) -> Option<Rc<Found>> {
        let serves = self.last.began.boot > boot && self.last.ports.is_some();
        serves.then(|| self.last.clone())
    }

    /// Notes what a walk has found.
    pub(crate) fn note(&mut self, found: &Rc<Found>, sessions: &Sessions) {
        let began = found.began;
        let mut meters = std::mem::take(&mut self.meters);
        self.next = began.boot + INTERVAL_MS.max(found.took_ms * PAUSES);
        self.last = found.clone();
        self.usage.clear();
        for (session, processes) in found.all(sessions) {
            let id = &session.id;
            let started = session.life.started_boot();
            let usage = Usage::of(processes, started);
            let known = meters.remove(id).filter(|meter| meter.is_of_run(started));
            let mut meter = known.unwrap_or_else(|| Meter::new(started, usage.older_cpu_ms));
            let percent = meter.look(usage.cpu_ms, began);
            self.meters.insert(id.clone(), meter);
            self.usage.insert(id.clone(), (usage, percent));
        }
    }

    /// Adds the values of the last walk to a session's summary. Returns the number of its processes.
    pub(crate) fn add_to(&self, summary: &mut Summary) -> u32 {
        let Some((usage, percent)) = self.usage.get(&summary.session_id) else {
            return 0;
        };
        summary.cpu_percent = *percent;
        summary.memory_bytes = Some(usage.memory_bytes);
        usage.processes
    }
}
