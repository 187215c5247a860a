//! Waits for room in a socket, only while there is something to send.
//!
//! A Unix socket becomes writable whenever its peer reads. If it were registered all the time, each message
//! would wake the daemon once more without need.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys::readiness;

/// A duplicate of a socket, registered for writing while room is needed.
#[derive(Default)]
pub(crate) struct WriteReadiness(Option<AsyncFd<OwnedFd>>);

impl WriteReadiness {
    /// Sets whether to wait for room in `socket` from now on.
    pub(crate) fn want(&mut self, socket: impl AsFd, wanted: bool) -> io::Result<()> {
        match (wanted, &self.0) {
            (false, _) => self.0 = None,
            (true, Some(_)) => {}
            (true, None) => {
                let duplicate = socket.as_fd().try_clone_to_owned()?;
                self.0 = Some(readiness::watch(duplicate, Interest::WRITABLE)?);
            }
        }
        Ok(())
    }

    /// Waits until there is room; for ever if no room is needed.
    pub(crate) async fn there(&self) -> io::Result<()> {
        match &self.0 {
            Some(room) => room.writable().await.map(|mut ready| ready.clear_ready()),
            None => std::future::pending().await,
        }
    }
}
