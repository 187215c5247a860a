//! Resource use of the processes of a session.
//!
//! CPU time is that of the live processes and of the children that they have waited for, so that the time
//! of short-lived children is counted. Memory is the sum of resident memory (RSS): a page that several
//! processes share counts once for each. The proportional set size (PSS) would be exact, but makes the
//! kernel walk through every page of every process.

use super::process::{Process, TICK_MS};

/// Resource use of one session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// CPU time in milliseconds, summed over all CPUs.
    pub cpu_ms: u64,
    /// Resident memory, in bytes.
    pub memory_bytes: u64,
    /// The part of `cpu_ms` that belongs to processes older than the session's current run.
    pub older_cpu_ms: u64,
    /// Number of processes.
    pub processes: u32,
}

impl Usage {
    /// Resource use of the processes of a session whose current run began at `began`, in boot-time milliseconds.
    pub fn of(processes: &[Process], began: u64) -> Self {
        let mut usage = Self::default();
        for process in processes {
            let cpu_ms = process.cpu_ms();
            usage.cpu_ms += cpu_ms;
            // The kernel reports start times in ticks, so a process of the current run may seem older by one.
            if process.started_boot() + TICK_MS < began {
                usage.older_cpu_ms += cpu_ms;
            }
            usage.memory_bytes += process.pages * rustix::param::page_size() as u64;
            usage.processes += 1;
        }
        usage
    }
}
