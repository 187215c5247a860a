//! A process as `/proc` shows it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::proc;

/// What is known of one.
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
    /// State letter: R, S, D, T, Z, …
    pub state: char,
    /// How many threads it has.
    pub threads: u32,
    /// When it started, in clock ticks after boot: with the pid, its identity.
    pub start: u64,
    /// Its program's name, at most 15 bytes.
    pub name: String,
    /// Processor time that it and the children it has waited for have used, in clock ticks.
    pub ticks: u64,
    /// Resident memory, in pages.
    pub pages: u64,
}

/// Of the times in `/proc/PID/stat` (proc_pid_stat(5)): 100 a second on every
/// Linux that bgproc runs on.
const TICK_MS: u64 = 10;

impl Process {
    /// When it started, in boot-time milliseconds.
    pub fn started_boot(&self) -> u64 {
        self.start * TICK_MS
    }
}

/// Pid of every process.
pub fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A handle on whatever process has this pid now.
pub fn handle(pid: u32) -> io::Result<OwnedFd> {
    let pid = Pid::from_raw(pid.cast_signed()).ok_or(io::ErrorKind::InvalidData)?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

/// A handle on `process`, if that pid is still the same process.
pub fn open(process: &Process) -> Option<OwnedFd> {
    let pidfd = handle(process.pid).ok()?;
    // Looked up again after the handle was taken: it is not a later process then.
    (read(process.pid)?.start == process.start).then_some(pidfd)
}

/// One process, if it is there.
pub fn read(pid: u32) -> Option<Process> {
    let text = proc::text(&format!("/proc/{pid}/stat")).ok()?;
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
    // Fields 14 to 17, 20, 22 and 24 of the page, counted from 1; six are taken.
    let times = fields.by_ref().skip(7).take(4);
    let ticks: i64 = times.filter_map(|ticks| ticks.parse::<i64>().ok()).sum();
    let threads = fields.nth(2)?.parse().ok()?;
    let start = fields.nth(1)?.parse().ok()?;
    let pages = fields.nth(1)?.parse().ok()?;
    Some(Process {
        pid,
        ppid,
        group,
        session,
        state,
        threads,
        start,
        name: name.to_owned(),
        ticks: u64::try_from(ticks).ok()?,
        pages,
    })
}

/// Whether a process stands still, by a signal or a debugger (state `T` or `t` of proc_pid_stat(5)).
pub fn is_stopped(pid: u32) -> bool {
    read(pid).is_some_and(|process| matches!(process.state, 'T' | 't'))
}

/// How a zombie ended, as wait(2) has it; `None` if it is none, or another
/// user's, of whom the kernel shows a zero.
pub fn exit_status(pid: u32) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    let me = rustix::process::geteuid().as_raw();
    let owner = std::fs::metadata(format!("/proc/{pid}")).ok()?.uid();
    let may_know = me == 0 || me == owner;
    // Fields 3 and 52 of proc_pid_stat(5).
    let mut fields = rest.trim_end().split(' ');
    let is_zombie = fields.next()? == "Z";
    let status = fields.nth(48)?.parse().ok()?;
    (is_zombie && may_know).then_some(status)
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
    let own = all().filter(|pid| {
        std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|meta| meta.uid() == user)
    });
    let threads = own.filter_map(|pid| Some(u64::from(read(pid)?.threads)));
    threads.sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_parentheses_is_read() {
        let text = "7 (a) b (c) S 1 7 7 34816 7 4194560 1 0 0 0 10 20 30 -1 20 0 1 0 4242 1 2";
        let process = parse_stat(7, text).unwrap();
        assert_eq!(process.name, "a) b (c");
        assert_eq!((process.ppid, process.group, process.session), (1, 7, 7));
        assert_eq!((process.state, process.start), ('S', 4242));
        // Of children that were waited for, too; the kernel has shown less than nothing.
        assert_eq!((process.ticks, process.pages), (59, 2));
    }
}
