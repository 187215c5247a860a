//! The descriptors that are handed over with a session. Only this module knows their order.

use std::os::fd::OwnedFd;

use super::tail::Tail;
use crate::protocol::keeper::Kept;

/// The descriptors that accompany a [`Kept`]: received ones, or those that are to be sent.
#[derive(Debug)]
pub struct KeptFds<F> {
    /// PTY master, or writing end of stdin.
    pub input: Option<F>,
    /// The pidfd of the first process.
    pub pidfd: Option<F>,
    /// Output that could not be written to the log.
    pub tail: Option<Tail>,
    /// With pipes: one descriptor per open stream.
    pub outputs: Vec<F>,
}

impl KeptFds<OwnedFd> {
    /// Splits the descriptors received with `kept`.
    pub fn split(kept: &Kept, fds: Vec<OwnedFd>) -> Self {
        let mut fds = fds.into_iter();
        let mut next = |is_there: bool| is_there.then(|| fds.next()).flatten();
        Self {
            input: next(kept.has_input),
            pidfd: next(kept.has_pidfd),
            tail: next(kept.has_tail).map(Tail::open),
            outputs: fds.collect(),
        }
    }
}

impl<F: From<OwnedFd>> KeptFds<F> {
    /// Puts the descriptors in order and records in `kept` which are present.
    pub fn join(self, kept: &mut Kept) -> Vec<F> {
        kept.has_input = self.input.is_some();
        kept.has_pidfd = self.pidfd.is_some();
        kept.has_tail = self.tail.is_some();
        let tail = self.tail.map(|tail| F::from(tail.into()));
        let first = [self.input, self.pidfd, tail].into_iter().flatten();
        first.chain(self.outputs).collect()
    }
}
