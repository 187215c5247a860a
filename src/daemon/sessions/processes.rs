//! The processes of sessions.

use std::collections::HashMap;

use super::Sessions;
use crate::protocol::SessionId;
use crate::sys::process::Process;
use crate::sys::signal;
use crate::sys::tree::{self, Leader};

impl Sessions {
    /// Every session with its first process. `known` overrides the first process of some sessions, for callers
    /// that know it better than the session does.
    pub(crate) fn leaders(
        &self,
        mut known: HashMap<SessionId, Option<Leader>>,
    ) -> Vec<(SessionId, Option<Leader>)> {
        for session in self.iter() {
            if !known.contains_key(&session.id) {
                known.insert(session.id.clone(), self.leader(&session.id));
            }
        }
        known.into_iter().collect()
    }

    /// The processes of bgproc itself, which belong to no session.
    pub(super) fn ours(&self) -> [u32; 2] {
        [std::process::id(), self.keeper]
    }

    /// Every live process of a session.
    pub(crate) fn processes(&self, id: &SessionId) -> Vec<Process> {
        let mut found = tree::processes(&self.leaders(HashMap::new()), &self.ours());
        found.remove(id).unwrap_or_default()
    }

    /// The program that has the terminal of a session: the newest process of the foreground group that has no
    /// child in it, because `sh -c "ssh host"` may stay as the parent of `ssh`. With pipes, the group is the one
    /// of the first process.
    pub(crate) fn foreground_program(&self, id: &SessionId) -> Option<Process> {
        let group = self.foreground(id).or(self.get(id)?.life.pid())?;
        let members = self.processes(id).into_iter();
        let members: Vec<Process> = members.filter(|process| process.group == group).collect();
        let parents: Vec<u32> = members.iter().map(|process| process.ppid).collect();
        let leaves = members
            .into_iter()
            .filter(|process| !parents.contains(&process.pid));
        leaves.max_by_key(|process| process.start)
    }

    /// The first process of a session. It is alive only while its pidfd confirms that: a pid without one is only what a
    /// record says, and may be that of another process.
    pub(crate) fn leader(&self, id: &SessionId) -> Option<Leader> {
        let (session, io) = self.both(id)?;
        let life = &session.life;
        match life.pid() {
            Some(pid) if io.pidfd.as_ref().is_some_and(signal::is_there) => {
                Some(Leader::Alive(pid))
            }
            _ => life
                .last_process()
                .map(|(pid, ended)| Leader::Gone { pid, ended }),
        }
    }

    /// The number of a session's latest run; `None` if the session has been removed.
    pub(crate) fn run(&self, id: &SessionId) -> Option<u32> {
        Some(self.get(id)?.life.runs().last()?.run)
    }
}
