//! What the processes of sessions use, of all sessions in one look at `/proc`.
//!
//! Processor time is that of the processes there are and of the children that
//! they have waited for, so what short-lived children have used stays counted.
//! Memory is resident memory (RSS) summed up: pages that several processes share
//! count once each. The proportional set size (PSS) would be exact, and takes the
//! kernel a walk through every page of every process.

use std::collections::HashMap;

use super::process::Process;
use super::tree::{self, Leader};
use crate::protocol::SessionId;

/// What the processes of one session use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time, in milliseconds of one processor.
    pub cpu_ms: u64,
    /// Resident memory, in bytes.
    pub memory_bytes: u64,
    /// The part of it that processes have used which began before the session's present run.
    pub older_cpu_ms: u64,
    /// How many processes there are.
    pub processes: u32,
}

/// What each of these sessions uses; those without a live process are left out. `began` says when the present run
/// of one began, in boot-time milliseconds.
pub fn of_sessions(
    sessions: &[(SessionId, Option<Leader>)],
    began: impl Fn(&SessionId) -> u64,
) -> HashMap<SessionId, Usage> {
    let used = tree::processes(sessions).into_iter();
    used.map(|(session, processes)| {
        let began = began(&session);
        (session, of_all(&processes, began))
    })
    .collect()
}

/// The kernel tells when a process began in ticks, so one of this run may seem to be that much older.
const TICK_MS: u64 = 10;

fn of_all(processes: &[Process], began: u64) -> Usage {
    let mut usage = Usage::default();
    for process in processes {
        let cpu_ms = process.ticks * 1000 / rustix::param::clock_ticks_per_second();
        usage.cpu_ms += cpu_ms;
        if process.started_boot() + TICK_MS < began {
            usage.older_cpu_ms += cpu_ms;
        }
        usage.memory_bytes += process.pages * rustix::param::page_size() as u64;
        usage.processes += 1;
    }
    usage
}
