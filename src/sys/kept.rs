//! The descriptors that go with a session from one process to the next: their
//! order is known here alone.

use std::os::fd::OwnedFd;

use super::tail::Tail;
use crate::protocol::keeper::Kept;

/// What goes with a [`Kept`].
#[derive(Debug, Default)]
pub struct KeptFds {
    /// PTY master or stdin.
    pub input: Option<OwnedFd>,
    /// A handle on its first process.
    pub pidfd: Option<OwnedFd>,
    /// What its log would not take.
    pub tail: Option<Tail>,
    /// With pipes: one for each open stream.
    pub outputs: Vec<OwnedFd>,
}

impl KeptFds {
    /// Takes apart what came with `kept`.
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

    /// Puts them in order and says in `kept` which there are.
    pub fn join(self, kept: &mut Kept) -> Vec<OwnedFd> {
        kept.has_input = self.input.is_some();
        kept.has_pidfd = self.pidfd.is_some();
        kept.has_tail = self.tail.is_some();
        let tail = self.tail.map(OwnedFd::from);
        let first = [self.input, self.pidfd, tail].into_iter().flatten();
        first.chain(self.outputs).collect()
    }
}
