//! One client's socket, woken only for what is wanted.
//!
//! tokio's own stream asks epoll for readable and writable together, and a peer that
//! reads makes a Unix socket writable: each reply would wake the daemon once more for
//! nothing. Here the socket is watched for input alone, and for room only while a
//! reply does not fit.

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
    /// Wanted while a reply has none.
    room: WriteReadiness,
}

impl Socket {
    /// Takes over an accepted connection.
    pub(crate) fn new(accepted: UnixStream) -> io::Result<Self> {
        let socket = OwnedFd::from(accepted.into_std()?);
        Ok(Self {
            input: readiness::watch(socket, Interest::READABLE)?,
            room: WriteReadiness::default(),
        })
    }

    /// Reads what has come, at least one byte; 0 at the end.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.input.readable().await?;
            match rustix::io::read(ready.get_inner(), &mut *buffer) {
                Ok(read) => {
                    // A short read has emptied the socket: asking again would only hear so.
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

    /// Sends what fits now; `None` if nothing does.
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

    /// Until there is room again after [`Socket::send`] found none. Without that it
    /// never returns.
    pub(crate) async fn has_room(&self) -> io::Result<()> {
        self.room.there().await
    }
}
