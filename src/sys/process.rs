//! Processes as `/proc` shows them.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open, test_kill_process};

use super::{proc, signal};

/// The fields of a process that we use.
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
    /// Number of threads.
    pub threads: u32,
    /// Start time, in clock ticks after boot. Together with the pid it identifies the process.
    pub start: u64,
    /// Name of its program, at most 15 bytes.
    pub name: String,
    /// CPU time of the process and of the children it has waited for, in clock ticks.
    pub ticks: u64,
    /// Resident memory, in pages.
    pub pages: u64,
}

/// Milliseconds per clock tick of the times in `/proc/PID/stat` (proc_pid_stat(5)): 100 ticks a second on
/// every Linux that bgproc supports.
pub(super) const TICK_MS: u64 = 10;

impl Process {
    /// Start time in boot-time milliseconds.
    pub fn started_boot(&self) -> u64 {
        self.start * TICK_MS
    }

    /// CPU time of the process and of the children it has waited for, in milliseconds.
    pub fn cpu_ms(&self) -> u64 {
        self.ticks * TICK_MS
    }
}

/// The pids of all processes.
pub fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A pidfd for the process that has this pid now.
pub fn handle(pid: u32) -> io::Result<OwnedFd> {
    let pid = Pid::from_raw(pid.cast_signed()).ok_or(io::ErrorKind::InvalidData)?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

/// Whether an error of [`handle`] says that there is no such process.
pub fn is_gone(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::SRCH)
}

/// A pidfd for `process`; `None` if it is gone.
pub fn open(process: &Process) -> Option<OwnedFd> {
    let pidfd = handle(process.pid).ok()?;
    // Check the start time after opening the pidfd, in case the pid was reused in between.
    (read(process.pid)?.start == process.start).then_some(pidfd)
}

/// Reads one process; `None` if it does not exist.
pub fn read(pid: u32) -> Option<Process> {
    let text = proc::text(&format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &text)
}

/// Parses `pid (name) state ppid pgrp session …` (proc_pid_stat(5)). The name may contain blanks and
/// parentheses, so the last `)` ends it.
fn parse_stat(pid: u32, text: &str) -> Option<Process> {
    let (head, rest) = text.rsplit_once(") ")?;
    let (_, name) = head.split_once(" (")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?.chars().next()?;
    let ppid = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    // Fields 14 to 17, 20, 22 and 24 of the man page, counted from 1; six are already consumed.
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

/// Whether a process is stopped by a signal or a debugger (state `T` or `t` of proc_pid_stat(5)).
pub fn is_stopped(pid: u32) -> bool {
    read(pid).is_some_and(|process| matches!(process.state, 'T' | 't'))
}

/// Whether a process is stopped by a signal, or will be before it does anything else. `None` if that cannot be
/// told: it is gone, or a debugger holds it.
pub fn stop_state(pid: u32) -> Option<bool> {
    // Pending signals first: one that is no longer pending has stopped the process by the second look.
    let status = proc::text(&format!("/proc/{pid}/status")).ok()?;
    let is_pending = has_signal(&status, "ShdPnd:", signal::STOP)?;
    match read(pid)?.state {
        't' => None,
        state => Some(is_pending || state == 'T'),
    }
}

/// Whether we may send signals to a process, which is not so for those of other users. False if it is gone.
pub fn may_be_signalled(pid: u32) -> bool {
    Pid::from_raw(pid.cast_signed()).is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Whether a process ignores a signal (SIG_IGN). False if that cannot be told.
pub fn ignores(pid: u32, signal: i32) -> bool {
    let status = proc::text(&format!("/proc/{pid}/status"));
    status.is_ok_and(|status| has_signal(&status, "SigIgn:", signal) == Some(true))
}

/// Whether a set of signals in the text of proc_pid_status(5) contains this one.
fn has_signal(status: &str, set: &str, signal: i32) -> Option<bool> {
    let mask = status.lines().find_map(|line| line.strip_prefix(set))?;
    let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
    Some(mask >> (signal - 1) & 1 == 1)
}

/// Whether a signal whose default action is to end the process will do so: it neither ignores nor catches it (signal(7)).
/// False if that cannot be told.
pub fn is_ended_by(pid: u32, signal: i32) -> bool {
    let status = proc::text(&format!("/proc/{pid}/status"));
    status.is_ok_and(|status| {
        let has = |set| has_signal(&status, set, signal);
        has("SigIgn:") == Some(false) && has("SigCgt:") == Some(false)
    })
}

/// The status of a zombie, as wait(2) would return it. `None` if the process is not a zombie, or belongs to
/// another user, for whom the kernel shows zero.
pub fn exit_status(pid: u32) -> Option<i32> {
    let text = proc::text(&format!("/proc/{pid}/stat")).ok()?;
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

/// The command line of a process, with blanks between the arguments.
pub fn command_line(pid: u32) -> Option<String> {
    let words = arguments(pid)?;
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The arguments of a process, its own name first; `None` if it does not exist.
pub fn arguments(pid: u32) -> Option<Vec<String>> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.split_terminator('\0').map(str::to_owned).collect())
}

/// Resident memory of a process in bytes.
pub fn memory(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Number of threads of all processes of the current user.
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
        // Includes children that were waited for; the kernel has been seen to report negative times.
        assert_eq!((process.ticks, process.pages), (59, 2));
    }

    #[test]
    fn a_signal_sent_counts_before_the_process_has_run() {
        let mut sleep = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        for _ in 0..100 {
            for (number, stopped) in [(signal::STOP, true), (signal::CONT, false)] {
                signal::send(handle(sleep.id()).unwrap(), number).unwrap();
                assert_eq!(stop_state(sleep.id()), Some(stopped));
            }
        }
        sleep.kill().unwrap();
        sleep.wait().unwrap();
        assert_eq!(stop_state(sleep.id()), None, "it is gone");
    }
}
