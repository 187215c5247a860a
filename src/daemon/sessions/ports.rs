//! The ports that sessions listen on, and the URLs that they print.

use std::collections::{BTreeSet, HashMap};

use super::Sessions;
use crate::engine::urls;
use crate::protocol::SessionId;
use crate::sys::ports::{self, Listening};
use crate::sys::{process, tree};

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
    /// The ports that a session's process tree listens on; with `of`, only those of them.
    pub(crate) fn ports(&self, id: &SessionId, of: Option<&[u16]>) -> Vec<u16> {
        let mut sockets = ports::listening();
        sockets.retain(|socket| of.is_none_or(|of| of.contains(&socket.port)));
        self.held_ports(id, &sockets).into_iter().collect()
    }

    /// The ports of `sockets` that a session's process tree listens on.
    pub(crate) fn held_ports(&self, id: &SessionId, sockets: &[Listening]) -> BTreeSet<u16> {
        match sockets {
            [] => BTreeSet::new(),
            _ => ports::held(self.processes(id).into_iter().map(|p| p.pid), sockets),
        }
    }

    /// The ports that each session listens on, ascending, from one scan of all processes.
    pub(crate) fn ports_of_all(&self) -> HashMap<SessionId, Vec<u16>> {
        let sockets = ports::listening();
        let mut found: HashMap<SessionId, BTreeSet<u16>> = HashMap::new();
        if !sockets.is_empty() {
            for (pid, ports) in ports::holders(process::all(), &sockets) {
                if let Some(id) = tree::session_of(pid) {
                    found.entry(id).or_default().extend(ports);
                }
            }
        }
        let sorted = found.into_iter();
        sorted
            .map(|(id, ports)| (id, Vec::from_iter(ports)))
            .collect()
    }

    /// The URLs with these ports in the newest output of a session.
    pub(crate) fn urls(&self, id: &SessionId, ports: &[u16]) -> Vec<String> {
        match ports {
            [] => Vec::new(),
            _ => urls::urls(&self.tail(id, URL_CHARS), ports),
        }
    }
}
