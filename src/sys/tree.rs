//! The processes of a session, however they left it.
//!
//! A process belongs to a session if it is in the terminal session or process
//! group that the session's first process leads (or led, while its terminal is
//! ours), descends from one that does, or carries the session's name in its
//! environment (`BGPROC_SESSION`), which is how one that called `setsid` and was
//! orphaned is still found.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::protocol::SessionId;

/// Variable that marks every process of a session.
pub const MARK: &str = "BGPROC_SESSION";

/// One process as `/proc` shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// Its pid.
    pub pid: u32,
    /// Its parent's pid.
    pub ppid: u32,
    /// Its process group.
    pub group: u32,
    /// Its terminal session.
    pub session: u32,
    /// Device number of its terminal; 0: none.
    pub terminal: u32,
    /// State letter: R, S, D, T, Z, …
    pub state: char,
    /// When it started, in clock ticks after boot: with the pid, its identity.
    pub start: u64,
    /// Its program's name, at most 15 bytes.
    pub name: String,
}

/// The first process of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leader {
    /// It is there, so its number is its own.
    There(u32),
    /// It has gone. Its number still names its terminal session, if a process of
    /// that is left on this terminal.
    Gone {
        /// The number it had.
        pid: u32,
        /// Device number of its terminal, which the keeper has open.
        terminal: u32,
    },
}

impl Leader {
    fn leads(self, process: &Process) -> bool {
        match self {
            Self::There(pid) => {
                process.pid == pid || process.session == pid || process.group == pid
            }
            Self::Gone { pid, terminal } => process.session == pid && process.terminal == terminal,
        }
    }
}

/// Every live process of a session; zombies are not live.
pub fn processes(session: &SessionId, leader: Option<Leader>) -> Vec<Process> {
    let all: Vec<Process> = all_pids()
        .filter_map(read)
        .filter(|p| p.state != 'Z')
        .collect();
    let mut members: HashSet<u32> = all
        .iter()
        .filter(|process| leader.is_some_and(|leader| leader.leads(process)))
        .map(|p| p.pid)
        .collect();
    let mark = format!("{MARK}={session}");
    for process in &all {
        if !members.contains(&process.pid) && is_marked(process.pid, mark.as_bytes()) {
            members.insert(process.pid);
        }
    }
    add_descendants(&all, &mut members);
    all.into_iter()
        .filter(|p| members.contains(&p.pid))
        .collect()
}

fn add_descendants(all: &[Process], members: &mut HashSet<u32>) {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for process in all {
        children.entry(process.ppid).or_default().push(process.pid);
    }
    let mut queue: Vec<u32> = members.iter().copied().collect();
    while let Some(pid) = queue.pop() {
        for &child in children.get(&pid).into_iter().flatten() {
            if members.insert(child) {
                queue.push(child);
            }
        }
    }
}

/// A handle on `process`, if that pid is still the same process.
pub fn open(process: &Process) -> Option<OwnedFd> {
    let pid = Pid::from_raw(process.pid.cast_signed())?;
    let pidfd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    // Looked up again after the handle was taken: it is not a later process then.
    (read(process.pid)?.start == process.start).then_some(pidfd)
}

/// One process, if it is there.
pub fn read(pid: u32) -> Option<Process> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &text)
}

/// `pid (name) state ppid pgrp session …` (proc_pid_stat(5)); the name may hold
/// blanks and parentheses, so the last `)` ends it.
fn parse_stat(pid: u32, text: &str) -> Option<Process> {
    let (head, rest) = text.rsplit_once(") ")?;
    let (_, name) = head.split_once(" (")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?.chars().next()?;
    let ppid = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    let terminal = fields.next()?.parse::<i32>().ok()?.cast_unsigned();
    // Field 22 of the page, counted from 1; seven are taken.
    let start = fields.nth(14)?.parse().ok()?;
    Some(Process {
        pid,
        ppid,
        group,
        session,
        terminal,
        state,
        start,
        name: name.to_owned(),
    })
}

/// The command line of a process, blanks between arguments.
pub fn command_line(pid: u32) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let words: Vec<&str> = text.split('\0').filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Resident memory of a process in bytes.
pub fn memory(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Threads of all processes of the present user.
pub fn threads_of_user() -> u64 {
    let user = rustix::process::geteuid().as_raw();
    let own = all_pids().filter(|pid| {
        std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|meta| meta.uid() == user)
    });
    own.filter_map(|pid| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // Field 20 of proc_pid_stat(5), the 18th after the name.
        text.rsplit_once(") ")?
            .1
            .split(' ')
            .nth(17)?
            .parse::<u64>()
            .ok()
    })
    .sum()
}

fn all_pids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn is_marked(pid: u32, mark: &[u8]) -> bool {
    // Unreadable for processes of other users, which cannot be ended anyway.
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else {
        return false;
    };
    environment
        .split(|&byte| byte == 0)
        .any(|entry| entry == mark)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_parentheses_is_read() {
        let text = "7 (a) b (c) S 1 7 7 34816 7 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 2";
        let process = parse_stat(7, text).unwrap();
        assert_eq!(process.name, "a) b (c");
        assert_eq!((process.ppid, process.group, process.session), (1, 7, 7));
        assert_eq!(process.terminal, 34816, "136:0");
        assert_eq!((process.state, process.start), ('S', 4242));
    }

    #[test]
    fn a_number_whose_owner_is_gone_counts_only_on_its_terminal() {
        let text = "9 (x) S 1 9 7 34816 9 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 2";
        let process = parse_stat(9, text).unwrap();
        let gone = |terminal| Leader::Gone { pid: 7, terminal };
        assert!(gone(34816).leads(&process));
        assert!(!gone(34817).leads(&process));
        assert!(Leader::There(7).leads(&process));
        assert!(!Leader::There(8).leads(&process));
    }

    #[test]
    fn a_marked_process_is_found_without_its_leader() {
        let id = SessionId::fresh();
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .env(MARK, id.as_str())
            .spawn()
            .unwrap();
        let found = processes(&id, None);
        let handle = open(&found[0]).unwrap();
        crate::sys::signal::send(&handle, 9).unwrap();
        child.wait().unwrap();
        assert_eq!(
            found.iter().map(|p| p.pid).collect::<Vec<_>>(),
            [child.id()]
        );
        assert!(processes(&id, None).is_empty());
    }
}
