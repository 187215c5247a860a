//! The sending half of a connection.

use std::collections::VecDeque;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::SendFlags;
use serde_json::Value;

use super::errors::lost;
use crate::protocol::{Action, Error, Request, RequestId};

/// The sending half.
#[derive(Debug)]
pub struct Sender {
    stream: UnixStream,
    next_id: u64,
    /// What [`queue_line`](Self::queue_line) has not sent yet.
    rest: VecDeque<u8>,
}

impl AsFd for Sender {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Sender {
    /// Sends on a stream that blocks.
    pub(super) fn new(stream: UnixStream) -> Self {
        Self {
            stream,
            next_id: 1,
            rest: VecDeque::new(),
        }
    }

    /// The stream.
    pub(super) fn into_stream(self) -> UnixStream {
        self.stream
    }

    /// Sends a request and returns its id, which the reply will carry.
    pub fn send(&mut self, action: Action) -> Result<RequestId, Error> {
        let (id, line) = self.request(action);
        self.send_line(&line)?;
        Ok(id)
    }

    /// Takes the next id, and builds the line of a request with it.
    pub(super) fn request(&mut self, action: Action) -> (RequestId, Vec<u8>) {
        let id = Value::from(self.next_id);
        self.next_id += 1;
        let request = Request {
            id: id.clone(),
            action,
        };
        (id, request.to_line())
    }

    /// Sends a line as it is; it includes its newline.
    pub(super) fn send_line(&mut self, line: &[u8]) -> Result<(), Error> {
        self.stream.write_all(line).map_err(lost)
    }

    /// Sends a line, with its newline, as far as the daemon takes it at once, and queues the rest.
    ///
    /// # Errors
    /// If the connection broke.
    pub fn queue_line(&mut self, line: &[u8]) -> Result<(), Error> {
        self.rest.extend(line);
        self.send_queued()
    }

    /// Sends as much of what is queued as the daemon takes at once.
    ///
    /// # Errors
    /// If the connection broke.
    pub fn send_queued(&mut self) -> Result<(), Error> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        while !self.rest.is_empty() {
            match rustix::net::send(&self.stream, self.rest.as_slices().0, flags) {
                Ok(sent) => drop(self.rest.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(lost(error.into())),
            }
        }
        Ok(())
    }

    /// Number of bytes that are queued.
    pub fn queued(&self) -> usize {
        self.rest.len()
    }

    /// Ends the sending direction. Replies are still received.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.stream
            .shutdown(std::net::Shutdown::Write)
            .map_err(lost)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_the_daemon_does_not_take_is_queued_in_order() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut sender = Sender::new(ours);
        // More than a socket holds.
        let lines: Vec<u8> = (0..10_000_u32)
            .flat_map(|n| format!("{n:0>99}\n").into_bytes())
            .collect();
        for line in lines.chunks(100) {
            sender.queue_line(line).unwrap();
        }
        assert!(sender.queued() > 0);
        let mut read = vec![0; lines.len()];
        let mut filled = 0;
        while filled < read.len() {
            filled += theirs.read(&mut read[filled..]).unwrap();
            sender.send_queued().unwrap();
        }
        assert_eq!(sender.queued(), 0);
        assert!(read == lines);
    }
}
