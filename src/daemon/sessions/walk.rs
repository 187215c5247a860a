//! The processes and ports of all sessions, from one walk through `/proc` that any thread can take.

use std::collections::{BTreeSet, HashMap};

use super::Sessions;
use crate::daemon::clock::now;
use crate::engine::Now;
use crate::engine::session::Session;
use crate::protocol::SessionId;
use crate::sys::process::Process;
use crate::sys::tree::{self, Leader};
use crate::sys::{failpoint, ports};

/// A walk through the processes of the machine, which needs nothing of the daemon's state.
pub(crate) struct Walk {
    began: Now,
    leaders: Vec<(SessionId, Option<Leader>)>,
    ours: [u32; 2],
    with_ports: bool,
}

impl Walk {
    /// `with_ports` also finds the ports that the sessions listen on, for which all descriptors of their processes are
    /// read.
    pub(crate) fn new(sessions: &Sessions, with_ports: bool) -> Self {
        Self {
            began: now(),
            leaders: sessions.leaders(HashMap::new()),
            ours: sessions.ours(),
            with_ports,
        }
    }

    /// Takes milliseconds, or more if there are many processes.
    pub(crate) fn run(&self) -> Found {
        failpoint::hold("usage.walk");
        let processes = tree::processes(&self.leaders, &self.ours);
        let took_ms = now().boot - self.began.boot;
        Found {
            began: self.began,
            took_ms,
            ports: self.with_ports.then(|| ports_of(&processes)),
            processes,
        }
    }
}

fn ports_of(processes: &HashMap<SessionId, Vec<Process>>) -> HashMap<SessionId, Vec<u16>> {
    let pids = processes.values().flatten().map(|process| process.pid);
    let holders = ports::holders(pids, &ports::listening());
    let held = |(id, processes): (&SessionId, &Vec<Process>)| {
        let own = processes.iter().filter_map(|one| holders.get(&one.pid));
        let held: BTreeSet<u16> = own.flatten().copied().collect();
        (id.clone(), Vec::from_iter(held))
    };
    processes.iter().map(held).collect()
}

/// What a walk has found.
#[derive(Default)]
pub(crate) struct Found {
    /// When the walk began.
    pub(super) began: Now,
    /// How long it took to find the processes, in milliseconds.
    pub(super) took_ms: u64,
    /// The live processes of each session that has any.
    processes: HashMap<SessionId, Vec<Process>>,
    /// The ports that each session listens on, ascending; `None` if the walk was without ports.
    pub(super) ports: Option<HashMap<SessionId, Vec<u16>>>,
}

impl Found {
    /// The sessions whose present runs have live processes, with these.
    pub(super) fn all<'a>(
        &'a self,
        sessions: &'a Sessions,
    ) -> impl Iterator<Item = (&'a Session, &'a [Process])> {
        let known = self.processes.keys().filter_map(|id| sessions.get(id));
        let found = known.map(|session| (session, self.processes(session)));
        found.filter(|(_, processes)| !processes.is_empty())
    }

    /// Whether it tells of the session's present run: that has neither begun nor ended since.
    fn is_of_run(&self, session: &Session) -> bool {
        let life = &session.life;
        let ended = life.last_process().map(|(_, ended)| ended);
        life.started_boot() <= self.began.boot && ended.is_none_or(|ended| ended < self.began.boot)
    }

    /// Every live process of a session.
    pub(crate) fn processes(&self, session: &Session) -> &[Process] {
        let found = self.processes.get(&session.id);
        let found = found.filter(|_| self.is_of_run(session));
        found.map_or(&[], Vec::as_slice)
    }

    /// The ports that a session listens on; none if the walk was without ports.
    pub(crate) fn ports(&self, session: &Session) -> &[u16] {
        let found = self.ports.as_ref().and_then(|all| all.get(&session.id));
        let found = found.filter(|_| self.is_of_run(session));
        found.map_or(&[], Vec::as_slice)
    }
}
