//! The exit status of a process that is not our child: a job whose keeper died.
#![allow(unsafe_code, reason = "an ioctl that rustix does not have")]

use std::os::fd::AsFd;

use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

use super::{process, signal};

/// What the kernel reports about an ended process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The status as wait(2) would have returned it.
    Status(i32),
    /// The status will be available once the process has been reaped.
    NotYet,
    /// The kernel does not report it.
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

/// `PIDFD_INFO_EXIT`, Linux 6.15: available once the process is reaped.
const EXIT: u64 = 1 << 3;

const GET_INFO: Opcode = opcode::read_write::<Info>(0xff, 11);

/// How the process behind `pidfd` ended. Call this once poll(2) reports that it has ended.
pub fn of(pidfd: impl AsFd, pid: u32) -> Ending {
    let mut asked = info(&pidfd);
    if asked == Err(Errno::SRCH) {
        // It may have been reaped while the kernel looked: first for its status, then for the process.
        asked = info(&pidfd);
    }
    if let Ok(Some(status)) = asked {
        return Ending::Status(status);
    }
    // Check the pidfd after reading by pid: if the process is still there, this was not a later process's
    // zombie.
    match process::exit_status(pid).filter(|_| signal::is_there(&pidfd)) {
        Some(status) => Ending::Status(status),
        // ESRCH: it was reaped by a kernel that does not keep the status.
        None if matches!(asked, Err(Errno::NOTTY | Errno::INVAL | Errno::SRCH)) => Ending::Unknown,
        None => Ending::NotYet,
    }
}

/// The status that the kernel keeps of a process, if it has been reaped.
fn info(pidfd: impl AsFd) -> Result<Option<i32>, Errno> {
    let mut info = Info {
        mask: EXIT,
        ..Info::default()
    };
    // SAFETY: the ioctl takes this structure, and the opcode encodes its size.
    unsafe { ioctl(&pidfd, Updater::<{ GET_INFO }, Info>::new(&mut info)) }?;
    Ok((info.mask & EXIT != 0).then_some(info.status))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use super::*;

    #[test]
    fn reports_the_status_before_and_after_reaping() {
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
        // Linux before 6.15 no longer knows it.
        assert!(matches!(
            of(&pidfd, child.id()),
            Ending::Status(0x700) | Ending::Unknown
        ));
    }
}
