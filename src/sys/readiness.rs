//! Waiting for a descriptor in the daemon's event loop.
#![allow(unsafe_code, reason = "tokio asks for a promise about the descriptor")]

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Watches `fd` for what `interest` says.
pub fn watch(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open and the same descriptor until it is dropped,
    // which `AsyncFd` does after it has stopped watching.
    unsafe { AsyncFd::register_with_interest(fd, interest) }.map_err(Into::into)
}
