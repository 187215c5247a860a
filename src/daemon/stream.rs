//! One client's socket, woken only for what is wanted.
//!
//! tokio's own stream asks epoll for readable and writable together, and a peer that
//! reads makes a Unix socket writable: each reply would wake the daemon once more for
//! nothing. Here the socket is watched for input alone, and for room only while a
//! reply does not fit.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::SendFlags;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::UnixStream;

use crate::sys::readiness;

/// A connected socket.
pub(super) struct Stream {
    input: AsyncFd<OwnedFd>,
    /// A duplicate watched for room, while a reply has none.
    room: Option<AsyncFd<OwnedFd>>,
}

impl Stream {
    /// Takes over an accepted connection.
    pub(super) fn new(accepted: UnixStream) -> io::Result<Self> {
        let socket = OwnedFd::from(accepted.into_std()?);
        Ok(Self {
            input: readiness::watch(socket, Interest::READABLE)?,
            room: None,
        })
    }

    /// Reads what has come, at least one byte; 0 at the end.
    pub(super) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
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
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        match rustix::net::send(self.input.get_ref(), bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => {
                self.room = None;
                Ok(Some(sent))
            }
            Err(Errno::AGAIN) => {
                self.watch_room()?;
                Ok(None)
            }
            Err(Errno::INTR) => Ok(Some(0)),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Until there is room again after [`Stream::send`] found none. Without that it
    /// never returns.
    pub(super) async fn has_room(&self) -> io::Result<()> {
        match &self.room {
            Some(room) => room.writable().await.map(|_| ()),
            None => std::future::pending().await,
        }
    }

    /// Watched anew each time, so that no readiness of before is left.
    fn watch_room(&mut self) -> io::Result<()> {
        let duplicate = self.input.get_ref().as_fd().try_clone_to_owned()?;
        self.room = None;
        self.room = Some(readiness::watch(duplicate, Interest::WRITABLE)?);
        Ok(())
    }
}
