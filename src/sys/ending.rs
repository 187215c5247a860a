//! How a process ended that is not a child of ours: a job whose keeper died.
#![allow(unsafe_code, reason = "an ioctl that rustix does not have")]

use std::os::fd::AsFd;

use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

use super::{process, signal};

/// What the kernel tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The status as wait(2) would have given it.
    Status(i32),
    /// It will tell as soon as somebody has reaped the process.
    NotYet,
    /// It does not tell.
    Unknown,
}

/// `struct pidfd_info` of linux/pidfd.h in its first version, Linux 6.13.
#[repr(C)]
#[derive(Default)]
struct Info {
    mask: u64,
    cgroup: u64,
    ids: [u32; 11],
    status: i32,
}

/// `PIDFD_INFO_EXIT`, Linux 6.15: there once the process is reaped.
const EXIT: u64 = 1 << 3;

const GET_INFO: Opcode = opcode::read_write::<Info>(0xff, 11);

/// How the process behind `pidfd`, of which poll(2) says that it has ended, did.
pub fn of(pidfd: impl AsFd, pid: u32) -> Ending {
    let mut info = Info {
        mask: EXIT,
        ..Info::default()
    };
    // SAFETY: the opcode takes this structure, and the size of it is in the opcode.
    let asked = unsafe { ioctl(&pidfd, Updater::<{ GET_INFO }, Info>::new(&mut info)) };
    if asked.is_ok() && info.mask & EXIT != 0 {
        return Ending::Status(info.status);
    }
    // Looked at after the number was: it is not a later process's zombie then.
    match process::exit_status(pid).filter(|_| signal::is_there(&pidfd)) {
        Some(status) => Ending::Status(status),
        // ESRCH: it was reaped before the kernel began to keep this.
        None if matches!(asked, Err(Errno::NOTTY | Errno::INVAL | Errno::SRCH)) => Ending::Unknown,
        None => Ending::NotYet,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use super::*;

    #[test]
    fn the_code_is_known_before_and_after_it_was_reaped() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "exit 7"])
            .spawn()
            .unwrap();
        let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).unwrap();
        let mut poll = [rustix::event::PollFd::new(
            &pidfd,
            rustix::event::PollFlags::IN,
        )];
        rustix::event::poll(&mut poll, None).unwrap();
        assert_eq!(of(&pidfd, child.id()), Ending::Status(7 << 8));
        child.wait().unwrap();
        // Linux before 6.15 has forgotten it by then.
        assert!(matches!(
            of(&pidfd, child.id()),
            Ending::Status(0x700) | Ending::Unknown
        ));
    }
}
