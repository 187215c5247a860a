//! Events from other threads: results of what must not hold up the main loop.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::message::Event;

/// Maximum number of queued results. A thread with one more waits.
const QUEUE: usize = 64;

/// Sends an event from another thread.
#[derive(Clone)]
pub struct Later {
    results: SyncSender<Event>,
    bell: Arc<UnixStream>,
}

/// Where these events arrive. poll(2) tells when to [`take`](Self::take) them.
pub struct Results {
    results: Receiver<Event>,
    bell: UnixStream,
}

/// Both ends of the queue.
///
/// # Errors
/// If no descriptors are left.
pub fn later() -> io::Result<(Later, Results)> {
    let (send, results) = sync_channel(QUEUE);
    let (bell, ring) = UnixStream::pair()?;
    bell.set_nonblocking(true)?;
    ring.set_nonblocking(true)?;
    let later = Later {
        results: send,
        bell: Arc::new(ring),
    };
    Ok((later, Results { results, bell }))
}

impl Later {
    /// Sends an event; returns whether there still is a view.
    pub fn send(&self, event: Event) -> bool {
        let is_sent = self.results.send(event).is_ok();
        self.ring();
        is_sent
    }

    /// Wakes the main loop.
    pub fn ring(&self) {
        // Without room for one more byte, it has been rung.
        let _ = (&*self.bell).write(&[1]);
    }
}

impl AsFd for Results {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

impl Results {
    /// The events that have arrived.
    pub fn take(&mut self) -> impl Iterator<Item = Event> {
        // Emptied first, so that what arrives meanwhile rings again.
        while matches!(self.bell.read(&mut [0; 64]), Ok(read) if read > 0) {}
        self.results.try_iter()
    }
}
