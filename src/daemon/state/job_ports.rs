//! The ports that jobs of projects were given: whether they are free when a job starts, and who has them if not.

use std::collections::{BTreeMap, BTreeSet};

use super::State;
use crate::daemon::sessions::port_owners::PortOwner;
use crate::project::job::PortBusy;
use crate::protocol::reply::Listener;
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::sys::ports;

impl State {
    /// Checks that the ports of a job are free. With `port_busy = "next"` it gets the next free ones instead.
    pub(crate) fn claim_ports(&mut self, project: &str, job: &str) -> Result<(), Error> {
        let Some(known) = self.projects.get(project) else {
            return Ok(());
        };
        let Some(wanted) = known.ports.get(job).filter(|wanted| !wanted.is_empty()) else {
            return Ok(());
        };
        let taken: BTreeSet<u16> = ports::listening()
            .iter()
            .map(|socket| socket.port)
            .collect();
        let Some(port) = wanted.values().copied().find(|port| taken.contains(port)) else {
            return Ok(());
        };
        let moves = known
            .applied
            .jobs
            .get(job)
            .is_some_and(|job| job.port_busy == PortBusy::Next);
        if !moves {
            let message = format!("port {port} is taken by {}", self.holder_of(port));
            return Err(Error::new(ErrorCode::SpawnFailed, message));
        }
        let reserved = self.reserved_ports(Some((project, job)));
        let mut given = BTreeMap::new();
        for (name, port) in wanted.clone() {
            let is_free = |port: &u16| {
                !taken.contains(port)
                    && !reserved.contains_key(port)
                    && !given.values().any(|other| other == port)
            };
            let Some(next) = (port..=u16::MAX).find(is_free) else {
                let message = format!("no port from {port} on is free");
                return Err(Error::new(ErrorCode::SpawnFailed, message));
            };
            given.insert(name, next);
        }
        if let Some(known) = self.projects.get_mut(project) {
            known.ports.insert(job.to_owned(), given);
        }
        self.save_project(project);
        Ok(())
    }

    /// The ports that are given to jobs of projects, and to which. `but` is left out.
    pub(crate) fn reserved_ports(&self, but: Option<(&str, &str)>) -> BTreeMap<u16, String> {
        let mut found = BTreeMap::new();
        for project in self.projects.iter() {
            let own = project.ports.iter();
            let own = own.filter(|(job, _)| !project.borrowed.contains_key(*job));
            for (job, ports) in own {
                if but != Some((project.id.as_str(), job.as_str())) {
                    let name = format!("{}/{job}", project.name().name);
                    found.extend(ports.values().map(|port| (*port, name.clone())));
                }
            }
        }
        found
    }

    /// The ports that are given to jobs of other projects.
    pub(crate) fn reserved_ports_of_others(&self, project: &str) -> BTreeMap<u16, String> {
        let mut found = self.reserved_ports(None);
        if let Some(own) = self.projects.get(project) {
            let own: BTreeSet<u16> = own
                .ports
                .values()
                .flat_map(|ports| ports.values().copied())
                .collect();
            found.retain(|port, _| !own.contains(port));
        }
        found
    }

    /// Who listens on a port, for a person.
    fn holder_of(&self, port: u16) -> String {
        let owners = PortOwner::of(&BTreeSet::from([port]));
        match owners.first() {
            // It has ended since.
            None => "a process that has just ended".to_owned(),
            Some(PortOwner {
                session: Some(id),
                listener,
            }) => {
                let pid = listener.pid.unwrap_or_default();
                format!("job {} (pid {pid})", self.name_of(id))
            }
            Some(owner) => program_of(&owner.listener),
        }
    }

    /// The name of a session: `PROJECT/JOB` if a project's job is run by it.
    fn name_of(&self, id: &SessionId) -> String {
        let Some(session) = self.sessions.get(id) else {
            return id.to_string();
        };
        match self.project_role(session) {
            Some(role) => format!("{}/{}", role.project.name, role.job),
            None => session.name().to_owned(),
        }
    }
}

/// The program that listens, and its pid. Of another user's process, only what is known is said.
fn program_of(listener: &Listener) -> String {
    let word = listener.command.as_deref().unwrap_or_default();
    let word = word.split_whitespace().next().unwrap_or_default();
    match (word.rsplit('/').next(), listener.pid) {
        (Some(program), Some(pid)) if !program.is_empty() => format!("{program} (pid {pid})"),
        _ => listener.to_string(),
    }
}
