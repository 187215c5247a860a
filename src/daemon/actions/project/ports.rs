//! The ports of a project's jobs.

use std::collections::BTreeMap;

use super::read::Loaded;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::state::State;
use crate::project::Project;
use crate::project::job::{Job, PortBusy};
use crate::project::plan::{Change, changes};
use crate::project::ports::offset;
use crate::protocol::{Error, ErrorCode};
use crate::sys::ports;

/// The ports of each job, by their keys.
pub(super) type Ports = BTreeMap<String, BTreeMap<String, u16>>;

/// The ports of all jobs: as written in a main checkout, else with one offset with which all of them are free. It is
/// chosen once and kept, and chosen again only if the file has other ports with which it does not do.
pub(super) fn assign_ports(
    state: &State,
    project: &Known,
    loaded: &Loaded,
    effective: &Project,
) -> Result<(u16, Ports), Error> {
    let shift = shift(state, project, loaded, effective).ok_or_else(|| {
        let name = project.name().name;
        let message = format!("no free ports were found for project {name}");
        Error::new(ErrorCode::LimitExceeded, message).hint("give its jobs other ports")
    })?;
    let old_names = old_names(project, effective);
    let mut given = Ports::new();
    for (name, job) in &effective.jobs {
        let ports = if project.borrowed.contains_key(name) {
            borrowed(state, project, name, job)
        } else {
            // A job that goes on under another name keeps its ports.
            let old_name = old_names.get(name).unwrap_or(name);
            own(state, project, old_name, job, shift)
        };
        if !ports.is_empty() {
            given.insert(name.clone(), ports);
        }
    }
    Ok((shift, given))
}

/// What is added to the ports of the file; `None` if no offset has free ports.
fn shift(state: &State, project: &Known, loaded: &Loaded, effective: &Project) -> Option<u16> {
    let is_main = loaded.worktree().is_empty();
    let is_new = project.ports.is_empty();
    if !is_main && !is_new {
        return Some(project.offset);
    }
    let is_own = |name: &str| !project.borrowed.contains_key(name);
    let own = effective.jobs.iter().filter(|(name, _)| is_own(name));
    let written: Vec<u16> = own
        .flat_map(|(_, job)| job.ports.values().copied())
        .collect();
    let reserved = state.reserved_ports_of_others(&project.id);
    let listening = ports::listening();
    let listening: Vec<u16> = listening.iter().map(|socket| socket.port).collect();
    let is_taken = |port: u16| listening.contains(&port) || reserved.contains_key(&port);
    offset(&written, is_main, is_taken)
}

/// The old name of each job that goes on under a new one.
fn old_names(project: &Known, effective: &Project) -> BTreeMap<String, String> {
    let all = changes(&project.applied.jobs, &effective.jobs).into_iter();
    all.filter_map(|change| match change {
        Change::Rename { from, to } => Some((to, from)),
        _ => None,
    })
    .collect()
}

/// The ports of a job of the main checkout.
fn borrowed(state: &State, project: &Known, name: &str, job: &Job) -> BTreeMap<String, u16> {
    let lender = project.borrowed.get(name);
    let lender = lender.and_then(|lender| state.projects.get(lender));
    // If it was never up, it will have them as written, as main checkouts do.
    let ports = lender.and_then(|lender| lender.ports.get(name));
    ports.unwrap_or(&job.ports).clone()
}

/// The ports of a job of the project itself, which was named `old_name` until now.
fn own(
    state: &State,
    project: &Known,
    old_name: &str,
    job: &Job,
    shift: u16,
) -> BTreeMap<String, u16> {
    // A port that `port_busy = "next"` has moved stays while its definition stays, or as long as its job runs.
    let old = project.applied.jobs.get(old_name);
    let stays = shift == project.offset
        && old.is_some_and(|old| old.ports == job.ports)
        && (job.port_busy == PortBusy::Next || is_alive(state, project, old_name));
    let before = project.ports.get(old_name).filter(|_| stays);
    let port = |(key, written): (&String, &u16)| {
        let kept = before.and_then(|ports| ports.get(key));
        let shifted = written.checked_add(shift).unwrap_or(*written);
        (key.clone(), kept.copied().unwrap_or(shifted))
    };
    job.ports.iter().map(port).collect()
}

fn is_alive(state: &State, project: &Known, name: &str) -> bool {
    let id = project.sessions.get(name);
    let session = id.and_then(|id| state.sessions.get(id));
    session.is_some_and(|session| !session.life.status().is_finished())
}
