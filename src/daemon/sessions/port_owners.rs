//! Who listens on a port: a session, or a process that belongs to none.

use std::collections::{BTreeMap, BTreeSet};

use crate::protocol::SessionId;
use crate::protocol::reply::Listener;
use crate::sys::ports::{self, Listening};
use crate::sys::{process, tree};

/// A process that listens on a port.
pub(crate) struct PortOwner {
    /// The session whose mark the process carries. The registry may not know it any more, or it is one of another
    /// daemon.
    pub(crate) session: Option<SessionId>,
    pub(crate) listener: Listener,
}

impl PortOwner {
    /// Those of these ports, by port and pid. Reads the descriptors of every process of the machine, which takes
    /// milliseconds, or more if there are many processes.
    pub(crate) fn of(of: &BTreeSet<u16>) -> Vec<Self> {
        let mut sockets = ports::listening();
        sockets.retain(|socket| of.contains(&socket.port));
        let mut pids: BTreeMap<Listening, Option<u32>> =
            sockets.iter().map(|socket| (*socket, None)).collect();
        for (pid, socket) in ports::openers(process::all(), &sockets) {
            // The workers of a server have inherited its socket, and are younger.
            let oldest = pids.entry(socket).or_default();
            *oldest = Some(oldest.map_or(pid, |other| other.min(pid)));
        }
        // A server has a socket for IPv4 and one for IPv6.
        let owners: BTreeSet<_> = pids.iter().map(|(s, pid)| (s.port, *pid)).collect();
        owners.into_iter().map(Self::new).collect()
    }

    fn new((port, pid): (u16, Option<u32>)) -> Self {
        let cwd = pid.and_then(|pid| std::fs::read_link(format!("/proc/{pid}/cwd")).ok());
        Self {
            session: pid.and_then(tree::session_of),
            listener: Listener {
                port,
                reserved_for: None,
                pid,
                command: pid.and_then(process::command_line),
                cwd: cwd.map(|cwd| cwd.display().to_string()),
            },
        }
    }
}
