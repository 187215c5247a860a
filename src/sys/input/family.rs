//! Which processes may read a session's input.

use super::Effort;
use crate::sys::proc;
use crate::sys::process::{self, Process};

/// The processes that may read a session's input.
#[derive(Debug, Default)]
pub(super) struct Readers {
    pub(super) list: Vec<Reader>,
    /// Whether the list is complete; large families are only examined in part.
    pub(super) is_whole: bool,
}

/// A process that may read a session's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reader {
    pub(super) pid: u32,
    /// Number of its threads.
    threads: u32,
    /// Whether the session's terminal is its `/dev/tty`.
    pub(super) is_controlled: bool,
}

impl Reader {
    /// Ids of its threads.
    pub(super) fn threads(self) -> Vec<u32> {
        threads(self.pid, self.threads)
    }
}

/// The processes that may read a terminal: those of its foreground `group`, found among the session's first
/// process and its descendants (or among all processes if none of them is in the group), and descendants in
/// a terminal session of their own, because job control does not stop those.
pub(super) fn of_terminal(leader: u32, group: u32, effort: Effort) -> Readers {
    let (mut readers, mut is_whole) = descendants(leader, effort);
    let first = readers.first().filter(|process| process.pid == leader);
    let session = first.map(|process| process.session);
    let is_foreground = |process: &Process| process.group == group;
    let is_elsewhere = |process: &Process| session.is_some_and(|own| own != process.session);
    readers.retain(|process| is_foreground(process) || is_elsewhere(process));
    if is_whole && !readers.iter().any(is_foreground) {
        match effort {
            Effort::Quick => is_whole = false,
            Effort::Thorough => {
                let all = process::all().filter_map(process::read);
                readers.extend(all.filter(is_foreground));
            }
        }
    }
    // Leave out stopped processes: they show the call that they would resume.
    readers.retain(|process| !matches!(process.state, 'T' | 't' | 'X' | 'x'));
    let list = readers.iter().map(|process| Reader {
        pid: process.pid,
        threads: process.threads,
        is_controlled: is_foreground(process),
    });
    Readers {
        list: list.collect(),
        is_whole,
    }
}

/// The processes that may read a pipe that a session's first process was given.
pub(super) fn of_pipe(leader: u32, effort: Effort) -> Readers {
    let (family, is_whole) = descendants(leader, effort);
    let reader = |process: Process| Reader {
        pid: process.pid,
        threads: process.threads,
        is_controlled: false,
    };
    Readers {
        list: family.into_iter().map(reader).collect(),
        is_whole,
    }
}

/// A process and its descendants, parents first, and whether the list is complete.
fn descendants(pid: u32, effort: Effort) -> (Vec<Process>, bool) {
    let mut family: Vec<Process> = process::read(pid).into_iter().collect();
    let mut next = 0;
    while let Some(&Process { pid, threads, .. }) = family.get(next) {
        next += 1;
        for thread in self::threads(pid, threads) {
            let children = proc::text(&format!("/proc/{pid}/task/{thread}/children"));
            let children = children.unwrap_or_default();
            let pids = children
                .split_ascii_whitespace()
                .flat_map(str::parse::<u32>)
                .take(effort.processes());
            family.extend(pids.filter_map(process::read));
        }
        if family.len() > effort.processes() {
            return (family, false);
        }
    }
    (family, true)
}

/// Ids of a process's `count` threads. The only thread of a process has the process's id.
fn threads(pid: u32, count: u32) -> Vec<u32> {
    if count == 1 {
        return vec![pid];
    }
    let entries = std::fs::read_dir(format!("/proc/{pid}/task"));
    let entries = entries.into_iter().flatten().flatten();
    let threads = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    threads.collect()
}
