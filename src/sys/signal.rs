//! Signals by name, and sending them to nobody but the process that is meant.
#![allow(unsafe_code, reason = "rustix knows no signal 0 for a pidfd")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::process::{Signal, pidfd_send_signal};

/// Asks a process to end.
pub const TERM: i32 = 15;

/// Its terminal is gone.
pub const HUP: i32 = 1;

/// Sent by Ctrl-C.
pub const INT: i32 = 2;

/// Sent by Ctrl-\.
pub const QUIT: i32 = 3;

/// Ends a process.
pub const KILL: i32 = 9;

/// Sent at a limit of processor time.
pub const XCPU: i32 = 24;

/// Lets a stopped process go on.
pub const CONT: i32 = 18;

/// Stops a process where it stands.
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

/// Number of a signal by its name, `TERM` or `SIGTERM`, in any case.
pub fn number(name: &str) -> Option<i32> {
    let upper = name.trim().to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    SIGNALS
        .iter()
        .find(|(known, _)| *known == bare)
        .map(|(_, number)| *number)
}

/// Name of a signal, `SIGTERM`; `SIG34` for one without a name.
pub fn name(number: i32) -> String {
    match SIGNALS.iter().find(|(_, known)| *known == number) {
        Some((name, _)) => format!("SIG{name}"),
        None => format!("SIG{number}"),
    }
}

/// Names for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    SIGNALS.iter().map(|(name, _)| *name)
}

/// Sends to the process behind a pidfd, which is never another one.
pub fn send(pidfd: impl AsFd, number: i32) -> io::Result<()> {
    Ok(pidfd_send_signal(pidfd, signal(number)?)?)
}

/// Sends to a process group whose leader is a child that was not reaped yet: the
/// number is its own until then. That nobody is left in it is no error.
pub fn send_group(leader: u32, number: i32) {
    let group = rustix::process::Pid::from_raw(leader.cast_signed());
    if let (Some(group), Ok(signal)) = (group, signal(number)) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// Whether the process behind a pidfd is still there, as a zombie perhaps: its
/// number is its own until then.
pub fn is_there(pidfd: impl AsFd) -> bool {
    // SAFETY: the descriptor is open, and signal 0 with no information about it reads and
    // sends nothing.
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
    // It may be somebody else's by now, who takes none of ours.
    asked == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

fn signal(number: i32) -> io::Result<Signal> {
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
