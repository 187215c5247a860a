//! Waiting for a descriptor in the daemon's event loop, and asking it at once.
#![allow(unsafe_code, reason = "tokio asks for a promise about the descriptor")]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Watches `fd` for what `interest` says.
pub fn watch(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open and the same descriptor until it is dropped,
    // which `AsyncFd` does after it has stopped watching.
    unsafe { AsyncFd::register_with_interest(fd, interest) }.map_err(Into::into)
}

/// Waits until `fd` has something to be read, or has no other end any more; no longer than `patience`.
pub fn await_readable(fd: impl AsFd, patience: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)];
    let patience = Timespec::try_from(patience).ok();
    matches!(poll(&mut fds, patience.as_ref()), Ok(1..))
}

/// Whether one of these has something to be read, or has no other end any more.
pub fn any_readable(fds: &[BorrowedFd<'_>]) -> bool {
    let mut fds: Vec<_> = fds
        .iter()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // What cannot be asked may have something.
    poll(&mut fds, Some(&now)) != Ok(0)
}
