//! What the processes of sessions use, of all sessions in one look at `/proc`.
//!
//! Processor time is that of the processes there are and of the children that
//! they have waited for, so what short-lived children have used stays counted.
//! Memory is resident memory (RSS) summed up: pages that several processes share
//! count once each. The proportional set size (PSS) would be exact, and takes the
//! kernel a walk through every page of every process.

use std::collections::HashMap;

use super::proc;
use super::tree::{self, Leader};
use crate::protocol::SessionId;

/// What the processes of one session use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time, in milliseconds of one processor.
    pub cpu_ms: u64,
    /// Resident memory, in bytes.
    pub memory_bytes: u64,
    /// How many processes there are.
    pub processes: u32,
}

/// What each of these sessions uses; those without a live process are left out.
pub fn of_sessions(sessions: &[(SessionId, Option<Leader>)]) -> HashMap<SessionId, Usage> {
    let all = tree::live();
    let mut used: HashMap<SessionId, Usage> = HashMap::new();
    for (pid, session) in tree::owners(&all, sessions) {
        let Some(one) = read(pid) else { continue };
        let usage = used.entry(session.clone()).or_default();
        usage.cpu_ms += one.cpu_ms;
        usage.memory_bytes += one.memory_bytes;
        usage.processes += 1;
    }
    used
}

/// What one process uses.
fn read(pid: u32) -> Option<Usage> {
    let text = proc::text(&format!("/proc/{pid}/stat")).ok()?;
    parse(&text)
}

/// Fields 14 to 17 and 24 of proc_pid_stat(5): user and system time, its own and
/// that of children it has waited for, in clock ticks; resident pages.
fn parse(text: &str) -> Option<Usage> {
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok();
    let ticks: i64 = (14..=17).filter_map(number).sum();
    let pages = number(24)?;
    let (ticks, pages) = (u64::try_from(ticks).ok()?, u64::try_from(pages).ok()?);
    Some(Usage {
        cpu_ms: ticks * 1000 / rustix::param::clock_ticks_per_second(),
        memory_bytes: pages * rustix::param::page_size() as u64,
        processes: 1,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_that_were_waited_for_count() {
        let text = "7 (a b) S 1 7 7 0 -1 0 0 0 0 0 10 20 30 40 20 0 1 0 99 1000 5 0";
        let usage = parse(text).unwrap();
        assert_eq!(
            usage.cpu_ms,
            100 * 1000 / rustix::param::clock_ticks_per_second()
        );
        assert_eq!(usage.memory_bytes, 5 * rustix::param::page_size() as u64);
    }

    #[test]
    fn this_process_uses_something() {
        let usage = read(std::process::id()).unwrap();
        assert!(usage.memory_bytes > 0);
    }
}
