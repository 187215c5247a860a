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
pub(crate) struct WriteReadiness {
    watched: Option<AsyncFd<OwnedFd>>,
    /// Whether the duplicate is kept while no room is needed.
    is_reserved: bool,
    spare: Option<OwnedFd>,
}

impl WriteReadiness {
    /// With a duplicate that is made now and kept, for a socket that has to be written to when there are no free
    /// descriptors.
    pub(crate) fn reserved(socket: impl AsFd) -> io::Result<Self> {
        Ok(Self {
            watched: None,
            is_reserved: true,
            spare: Some(socket.as_fd().try_clone_to_owned()?),
        })
    }

    /// Sets whether to wait for room in `socket` from now on.
    pub(crate) fn want(&mut self, socket: impl AsFd, wanted: bool) -> io::Result<()> {
        match (wanted, &self.watched) {
            (false, _) => {
                let watched = self.watched.take().map(AsyncFd::into_inner);
                self.spare = self.spare.take().or(watched).filter(|_| self.is_reserved);
            }
            (true, Some(_)) => {}
            (true, None) => {
                let duplicate = match self.spare.take() {
                    Some(spare) => spare,
                    None => socket.as_fd().try_clone_to_owned()?,
                };
                self.watched = Some(readiness::watch(duplicate, Interest::WRITABLE)?);
            }
        }
        Ok(())
    }

    /// Waits until there is room; for ever if no room is needed.
    pub(crate) async fn there(&self) -> io::Result<()> {
        match &self.watched {
            Some(room) => room.writable().await.map(|mut ready| ready.clear_ready()),
            None => std::future::pending().await,
        }
    }
}
