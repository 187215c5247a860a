//! Signal names and numbers, and sending signals to exactly the intended process.
#![allow(
    unsafe_code,
    reason = "rustix cannot send signal 0 to a pidfd, and knows no real-time signals"
)]

use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, AsRawFd};

use rustix::process::{Signal, pidfd_send_signal};

/// SIGTERM asks a process to end.
pub const TERM: i32 = 15;

/// SIGHUP reports that the terminal is gone.
pub const HUP: i32 = 1;

/// SIGINT is sent by Ctrl-C.
pub const INT: i32 = 2;

/// SIGQUIT is sent by Ctrl-\.
pub const QUIT: i32 = 3;

/// SIGKILL ends a process.
pub const KILL: i32 = 9;

/// SIGXCPU is sent at the limit of CPU time.
pub const XCPU: i32 = 24;

/// SIGCONT continues a stopped process.
pub const CONT: i32 = 18;

/// SIGSTOP stops a process.
pub const STOP: i32 = 19;

/// Names and numbers of Linux on x86 and Arm (signal(7)).
const SIGNALS: &[(&str, i32)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ILL", 4),
    ("TRAP", 5),
    ("ABRT", 6),
    ("BUS", 7),
    ("FPE", 8),
    ("KILL", 9),
    ("USR1", 10),
    ("SEGV", 11),
    ("USR2", 12),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("STKFLT", 16),
    ("CHLD", 17),
    ("CONT", 18),
    ("STOP", 19),
    ("TSTP", 20),
    ("TTIN", 21),
    ("TTOU", 22),
    ("URG", 23),
    ("XCPU", 24),
    ("XFSZ", 25),
    ("VTALRM", 26),
    ("PROF", 27),
    ("WINCH", 28),
    ("IO", 29),
    ("PWR", 30),
    ("SYS", 31),
];

/// Number of a signal by its name, `TERM` or `SIGTERM` in any case; `None` if unknown.
pub fn number(name: &str) -> Option<i32> {
    let upper = name.trim().to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    SIGNALS
        .iter()
        .find(|(known, _)| *known == bare)
        .map(|(_, number)| *number)
}

/// Name of a signal such as `SIGTERM`, or `SIG34` for one without a name.
pub fn name(number: i32) -> String {
    match SIGNALS.iter().find(|(_, known)| *known == number) {
        Some((name, _)) => format!("SIG{name}"),
        None => format!("SIG{number}"),
    }
}

/// All names without `SIG`, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    SIGNALS.iter().map(|(name, _)| *name)
}

/// Sends a signal to the process behind a pidfd, which cannot be a later process with the same pid.
pub fn send(pidfd: impl AsFd, number: i32) -> io::Result<()> {
    Ok(pidfd_send_signal(pidfd, signal(number)?)?)
}

/// Sends a signal to a process group whose leader is a child of ours that has not been reaped: until then
/// its number cannot be reused. It is no error if the group is empty.
pub fn send_group(leader: u32, number: i32) {
    let group = rustix::process::Pid::from_raw(leader.cast_signed());
    if let (Some(group), Ok(signal)) = (group, signal(number)) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// Whether the process behind a pidfd still exists, possibly as a zombie: until it is reaped, its pid
/// cannot be reused.
pub fn is_there(pidfd: impl AsFd) -> bool {
    // SAFETY: the descriptor is open, and signal 0 with a null `siginfo_t` reads nothing and sends nothing.
    let asked = unsafe {
        let none = std::ptr::null::<libc::siginfo_t>();
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_fd().as_raw_fd(),
            0,
            none,
            0,
        )
    };
    // Other errors mean that it exists: its user may have changed, so that we may not signal it.
    asked == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// The numbers of real-time signals that libc leaves to programs (signal(7): glibc and musl use the first two or three).
const REAL_TIME: RangeInclusive<i32> = 35..=64;

fn signal(number: i32) -> io::Result<Signal> {
    if REAL_TIME.contains(&number) {
        // SAFETY: the number is that of a signal which libc does not use itself.
        return Ok(unsafe { Signal::from_raw_unchecked(number) });
    }
    Signal::from_named_raw(number).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_there_until_it_is_reaped() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        let flags = rustix::process::PidfdFlags::empty();
        let pidfd = rustix::process::pidfd_open(pid, flags).unwrap();
        assert!(is_there(&pidfd));
        child.wait().unwrap();
        assert!(!is_there(&pidfd));
    }

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(number("sigterm"), Some(15));
        assert_eq!(number("KILL"), Some(9));
        assert_eq!(number("TREM"), None);
        assert_eq!(name(15), "SIGTERM");
        assert_eq!(name(40), "SIG40");
    }
}
