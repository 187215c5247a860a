//! Sending signals to exactly the intended process, and their numbers.
#![allow(
    unsafe_code,
    reason = "rustix cannot send signal 0 to a pidfd, knows no real-time signals, and sets no actions"
)]

use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, AsRawFd};

use rustix::process::{Signal, pidfd_send_signal};

pub use crate::protocol::signal::{name, names, number};

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

/// Ignores SIGPIPE, as the standard library does at the start of a program: a write that nobody can read is an error.
pub fn ignore_broken_pipes() {
    // SAFETY: ignoring a signal runs no code.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
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
}
