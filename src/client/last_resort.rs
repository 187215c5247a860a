//! Ends all processes of a home without the help of the daemon: for a daemon that hangs, is
//! stopped, or cannot be started.
//!
//! No request is sent to keeper or daemon, so this works in any state of theirs. A running keeper
//! still saves how the jobs end. Without a keeper, the next daemon lists the jobs as `lost`, with
//! their logs.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::protocol::SessionId;
use crate::sys::paths::Home;
use crate::sys::process::Process;
use crate::sys::role::{self, ProcessRole};
use crate::sys::{process, signal, tree};

/// Time between SIGTERM and SIGKILL, the same as in the daemon.
const GRACE: Duration = Duration::from_secs(2);

/// Time that the kernel gets to end processes after SIGKILL.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Interval between two searches for remaining processes. They are not children of this process, so
/// the kernel does not report their ends to it.
const ROUND: Duration = Duration::from_millis(50);

/// The processes that were ended, and those that could not be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// Jobs that had processes.
    pub jobs: usize,
    /// Pids that could not be ended.
    pub survivors: Vec<u32>,
    /// Pids of keeper and daemon.
    pub own: Vec<u32>,
}

/// Resumes keeper and daemon if they were stopped by a signal.
pub fn wake(home: &Home) {
    for role in ProcessRole::ALL {
        if let Some(process) = role::find(home, role) {
            send(&process, signal::CONT);
        }
    }
}

/// Ends all processes of all jobs, and daemon and keeper.
pub fn end_everything(home: &Home) -> Ended {
    let sessions = sessions(home);
    let jobs = tree::processes(&sessions, &[]).len();
    let survivors = end_jobs(&sessions);
    Ended {
        jobs,
        survivors,
        own: end_own_processes(home),
    }
}

/// Ends all jobs. Returns the pids that could not be ended.
fn end_jobs(sessions: &[(SessionId, Option<tree::Leader>)]) -> Vec<u32> {
    let mut asked = BTreeSet::new();
    let began = Instant::now();
    loop {
        let found = tree::processes(sessions, &[]).into_values();
        let left: Vec<Process> = found.flatten().collect();
        if left.is_empty() || began.elapsed() >= GRACE + LAST_GRACE {
            return left.iter().map(|process| process.pid).collect();
        }
        for process in &left {
            let is_new = asked.insert((process.pid, process.start));
            match began.elapsed() < GRACE {
                true if is_new => {
                    send(process, signal::TERM);
                    // A stopped process does not handle SIGTERM.
                    send(process, signal::CONT);
                }
                true => {}
                false => send(process, signal::KILL),
            }
        }
        std::thread::sleep(ROUND);
    }
}

/// Ends keeper and daemon. The keeper is stopped first, so that it starts no other daemon. A keeper that began after this
/// process is another client's, and so is its daemon.
fn end_own_processes(home: &Home) -> Vec<u32> {
    let mut own = Vec::new();
    let began = Instant::now();
    let this = process::read(std::process::id()).map_or(u64::MAX, |this| this.start);
    while began.elapsed() < LAST_GRACE {
        let keeper = role::find(home, ProcessRole::Keeper);
        if keeper.as_ref().is_some_and(|keeper| keeper.start > this) {
            break;
        }
        let daemon = role::find(home, ProcessRole::Daemon);
        if keeper.is_none() && daemon.is_none() {
            break;
        }
        for (process, number) in [
            (&keeper, signal::STOP),
            (&daemon, signal::KILL),
            (&keeper, signal::KILL),
        ] {
            if let Some(process) = process {
                send(process, number);
                if !own.contains(&process.pid) {
                    own.push(process.pid);
                }
            }
        }
        std::thread::sleep(ROUND);
    }
    own
}

fn send(process: &Process, number: i32) {
    if let Some(pidfd) = process::open(process) {
        // Fails if the process has just ended.
        let _ = signal::send(&pidfd, number);
    }
}

/// Every session that has a directory. Their first processes are not known here, so the processes
/// of a session are found by their mark only.
fn sessions(home: &Home) -> Vec<(SessionId, Option<tree::Leader>)> {
    let entries = std::fs::read_dir(home.sessions()).into_iter().flatten();
    let ids = entries.filter_map(|entry| SessionId::parse(entry.ok()?.file_name().to_str()?));
    ids.map(|id| (id, None)).collect()
}
