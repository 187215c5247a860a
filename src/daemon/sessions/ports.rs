//! The ports that sessions listen on, and the URLs that they print.

use std::collections::BTreeSet;

use super::Sessions;
use crate::engine::urls;
use crate::protocol::SessionId;
use crate::sys::ports::{self, Listening};

/// Characters at the end of the output that are searched for URLs.
const URL_CHARS: usize = 64 * 1024;

/// The state of the port polling of one session.
pub(crate) struct PortSweep {
    /// Time of the last poll, in boot-time milliseconds.
    pub(crate) at: u64,
    /// Interval to the next poll, in milliseconds.
    pub(crate) pause: u64,
    /// Sockets on the wanted ports that belong to other processes. A socket is assumed not to change its owner,
    /// so an unchanged set is not looked up again.
    pub(crate) foreign: Vec<Listening>,
}

impl Sessions {
    /// Which of these ports a session's process tree listens on.
    pub(crate) fn ports_among(&self, id: &SessionId, of: &[u16]) -> Vec<u16> {
        let mut sockets = ports::listening();
        sockets.retain(|socket| of.contains(&socket.port));
        self.held_ports(id, &sockets).into_iter().collect()
    }

    /// The ports of `sockets` that a session's process tree listens on.
    pub(crate) fn held_ports(&self, id: &SessionId, sockets: &[Listening]) -> BTreeSet<u16> {
        match sockets {
            [] => BTreeSet::new(),
            _ => ports::held(self.processes(id).into_iter().map(|p| p.pid), sockets),
        }
    }

    /// The URLs with these ports in the newest output of a session.
    pub(crate) fn urls(&self, id: &SessionId, ports: &[u16]) -> Vec<String> {
        match ports {
            [] => Vec::new(),
            _ => urls::urls(&self.tail(id, URL_CHARS), ports),
        }
    }
}
