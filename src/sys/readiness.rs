//! Waiting for descriptors in the daemon's event loop, and polling them.
#![allow(unsafe_code, reason = "registering a descriptor with tokio is unsafe")]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Registers `fd` with the event loop for `interest`.
pub fn watch(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` stays open and the same descriptor until it is dropped, which `AsyncFd` does
    // after it has deregistered it.
    unsafe { AsyncFd::register_with_interest(fd, interest) }.map_err(Into::into)
}

/// Waits until `fd` is readable or its other end is closed, for at most `patience`. Returns whether it is.
pub fn await_readable(fd: impl AsFd, patience: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)];
    let patience = Timespec::try_from(patience).ok();
    matches!(poll(&mut fds, patience.as_ref()), Ok(1..))
}

/// Whether one of these is readable or its other end is closed.
pub fn any_readable(fds: &[BorrowedFd<'_>]) -> bool {
    let mut fds: Vec<_> = fds
        .iter()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // If polling fails, assume that there is something to read.
    poll(&mut fds, Some(&now)) != Ok(0)
}
