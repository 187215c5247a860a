//! Which processes may read a session's input.

use super::Effort;
use crate::sys::proc;
use crate::sys::process::{self, Process};

/// Those who may read a session's input.
#[derive(Debug, Default)]
pub(super) struct Readers {
    pub(super) list: Vec<Reader>,
    /// Whether these are all of them: of a large family not everybody is looked at.
    pub(super) is_whole: bool,
}

/// A process that may read a session's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reader {
    pub(super) pid: u32,
    /// How many threads it has.
    threads: u32,
    /// Whether `/dev/tty` is the session's terminal to it.
    pub(super) is_controlled: bool,
}

impl Reader {
    /// Its threads.
    pub(super) fn threads(self) -> Vec<u32> {
        threads(self.pid, self.threads)
    }
}

/// Those who may read a terminal whose foreground group this is: its processes,
/// found from the session's first process down (where none is there, among all),
/// and descendants in a session of their own, whom the terminal does not hold back.
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
    // A stopped process shows the call that it would go on with.
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

/// Those who may read a pipe that a session's first process was given.
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

/// A process and its descendants, parents first, and whether these are all.
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

/// The threads of a process that has so many: one alone is named as the process is.
fn threads(pid: u32, count: u32) -> Vec<u32> {
    if count == 1 {
        return vec![pid];
    }
    let entries = std::fs::read_dir(format!("/proc/{pid}/task"));
    let entries = entries.into_iter().flatten().flatten();
    let threads = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    threads.collect()
}
