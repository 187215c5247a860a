//! What keeper and daemon share, for tests of a handover.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;

use super::detach::socket_pair;
use super::shared_table::SharedTable;
use super::splice::SplicePipe;

/// A listening socket, a shared table and both ends of a splice pipe, in the order of `Welcome` and `Takeover`.
pub(crate) fn shared() -> Vec<OwnedFd> {
    let listener = UnixListener::from(socket_pair().unwrap().0);
    let (table, pipe) = (
        SharedTable::create().unwrap(),
        SplicePipe::create().unwrap(),
    );
    let [out, into] = pipe.ends();
    let fds = [listener.as_fd(), table.as_fd(), out, into];
    Vec::from(fds.map(|fd| fd.try_clone_to_owned().unwrap()))
}
