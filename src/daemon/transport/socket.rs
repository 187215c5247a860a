//! One client's socket, registered only for the events that are needed.
//!
//! tokio's own stream registers with epoll for readable and writable together, and a Unix socket becomes
//! writable whenever its peer reads, so each reply would wake the daemon once more without need. This socket is
//! registered for input only, and for writing only while a reply does not fit.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::SendFlags;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::UnixStream;

use super::write_readiness::WriteReadiness;
use crate::sys::readiness;

/// A connected socket.
pub(crate) struct Socket {
    input: AsyncFd<OwnedFd>,
    /// Active while a reply does not fit.
    room: WriteReadiness,
}

impl Socket {
    /// Takes an accepted connection.
    pub(crate) fn new(accepted: UnixStream) -> io::Result<Self> {
        let socket = OwnedFd::from(accepted.into_std()?);
        Ok(Self {
            input: readiness::watch(socket, Interest::READABLE)?,
            room: WriteReadiness::default(),
        })
    }

    /// Reads the available input, at least one byte; returns 0 at its end.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.input.readable().await?;
            match rustix::io::read(ready.get_inner(), &mut *buffer) {
                Ok(read) => {
                    // A short read has emptied the socket; another one would only return EAGAIN.
                    if read < buffer.len() {
                        ready.clear_ready();
                    }
                    return Ok(read);
                }
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Sends what fits now. Returns `None` if the socket is full.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        let socket = self.input.get_ref();
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => {
                self.room.want(socket, false)?;
                Ok(Some(sent))
            }
            Err(Errno::AGAIN) => {
                self.room.want(socket, true)?;
                Ok(None)
            }
            Err(Errno::INTR) => Ok(Some(0)),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Waits for room after [`Socket::send`] has returned `None`. Otherwise it never returns.
    pub(crate) async fn has_room(&self) -> io::Result<()> {
        self.room.there().await
    }
}
