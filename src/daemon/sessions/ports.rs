//! The ports on which sessions listen, and the URLs that they print.

use std::collections::{BTreeSet, HashMap};

use super::Sessions;
use crate::engine::urls;
use crate::protocol::SessionId;
use crate::sys::ports::{self, Listening};
use crate::sys::{process, tree};

/// Characters at the end of the output in which URLs are searched.
const URL_CHARS: usize = 64 * 1024;

/// How the ports of one session are being looked up.
pub(crate) struct PortSweep {
    /// Time of the last look, in boot-time milliseconds.
    pub(crate) at: u64,
    /// Milliseconds between the last look and the next one.
    pub(crate) pause: u64,
    /// Sockets on the wanted ports that belong to other processes. A socket never changes hands,
    /// so an unchanged set needs no second look.
    pub(crate) foreign: Vec<Listening>,
}

impl Sessions {
    /// The ports on which a session's process tree listens. With `of`, only these are looked for.
    pub(crate) fn ports(&self, id: &SessionId, of: Option<&[u16]>) -> Vec<u16> {
        let mut sockets = ports::listening();
        sockets.retain(|socket| of.is_none_or(|of| of.contains(&socket.port)));
        self.held_ports(id, &sockets).into_iter().collect()
    }

    /// The ports among `sockets` on which a session's process tree listens.
    pub(crate) fn held_ports(&self, id: &SessionId, sockets: &[Listening]) -> BTreeSet<u16> {
        match sockets {
            [] => BTreeSet::new(),
            _ => ports::held(self.processes(id).into_iter().map(|p| p.pid), sockets),
        }
    }

    /// The ports on which each session listens, ascending, from one look at the whole system.
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

    /// The URLs of these ports that the newest output of a session names.
    pub(crate) fn urls(&self, id: &SessionId, ports: &[u16]) -> Vec<String> {
        match ports {
            [] => Vec::new(),
            _ => urls::urls(&self.tail(id, URL_CHARS), ports),
        }
    }
}
