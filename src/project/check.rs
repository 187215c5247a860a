//! Compares the jobs of a project with each other: needs, groups, ports, and ports in templates.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::draft::{Draft, DraftGroup, DraftNeed};
use super::fault::{Fault, Faults};
use super::group::Group;
use super::job::Job;
use super::place::Place;
use super::ports::{self, Ports};
use super::template::{self, Piece};
use super::{circle, names};
use crate::protocol::project::{Level, Need};
use crate::protocol::suggest;

/// The jobs with resolved names: their order, the jobs and the groups.
pub(super) fn resolve(
    mut drafts: Vec<Draft>,
    declared: Vec<DraftGroup>,
    faults: &Faults,
) -> (Vec<String>, BTreeMap<String, Job>, BTreeMap<String, Group>) {
    let all: HashMap<String, usize> = drafts
        .iter()
        .enumerate()
        .map(|(at, draft)| (draft.name.clone(), at))
        .collect();
    let mut edges = Vec::with_capacity(drafts.len());
    let mut resolved = Vec::with_capacity(drafts.len());
    for draft in &drafts {
        let mut needs: Vec<Need> = Vec::new();
        let mut own = Vec::new();
        for need in &draft.needs {
            let Some(at) = target(draft, need, &all, faults) else {
                continue;
            };
            let Some(other) = drafts.get(at) else {
                continue;
            };
            own.push((at, need.job.place.clone()));
            let is = level(draft, need, other, faults);
            let is_new = !needs.iter().any(|known| known.job == other.name);
            if is_new {
                needs.push(Need {
                    job: other.name.clone(),
                    is,
                    restart: need.restart,
                });
            }
        }
        edges.push(own);
        resolved.push(needs);
    }
    let names: Vec<&str> = drafts.iter().map(|draft| draft.name.as_str()).collect();
    circle::report(&names, &edges, faults);
    for (draft, needs) in drafts.iter_mut().zip(resolved) {
        draft.job.needs = needs;
    }
    let groups = groups(&mut drafts, declared, &all, faults);
    check_ports(&drafts, faults);
    check_templates(&drafts, faults);
    let order = drafts.iter().map(|draft| draft.name.clone()).collect();
    let jobs = drafts
        .into_iter()
        .map(|draft| (draft.name, draft.job))
        .collect();
    (order, jobs, groups)
}

fn target(
    draft: &Draft,
    need: &DraftNeed,
    all: &HashMap<String, usize>,
    faults: &Faults,
) -> Option<usize> {
    let name = &need.job.text;
    let found = names::resolved(&draft.name, name, |name| all.contains_key(name));
    if found.is_none() && !faults.is_full() {
        let known = all.keys().map(String::as_str);
        // The order of a hash map is random; an error should not be.
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let hint = match suggest::nearest(name, known) {
            Some(near) => format!(". Did you mean \"{near}\"?"),
            None => String::new(),
        };
        let message = format!(
            "[jobs.{}] needs \"{name}\", which is not a job{hint}",
            draft.name
        );
        faults.add(&need.job.place, message);
    }
    all.get(&found?).copied()
}

/// The level of a need: as it is written, or the natural one.
fn level(draft: &Draft, need: &DraftNeed, other: &Draft, faults: &Faults) -> Level {
    let has_ready = other.has_ready;
    let (own, name) = (&draft.name, &other.name);
    if need.is == Some(Level::Ready) && !has_ready {
        let message = format!(
            "[jobs.{own}] needs \"{name}\" to be ready, but [jobs.{name}] has no \"ready\"; add it, or need \"started\""
        );
        faults.add(&need.job.place, message);
    }
    if other
        .job
        .schedule
        .as_ref()
        .is_some_and(|schedule| !schedule.at_start)
    {
        let message = format!(
            "[jobs.{own}] needs \"{name}\", which runs only at the times of its schedule; remove the need, or set at_start = true in the schedule"
        );
        faults.add(&need.job.place, message);
    }
    need.is.unwrap_or(match (other.job.is_task, has_ready) {
        (true, _) => Level::Ok,
        (false, true) => Level::Ready,
        (false, false) => Level::Started,
    })
}

/// Puts jobs into groups: those that a group lists, then those that name their group.
fn groups(
    drafts: &mut [Draft],
    declared: Vec<DraftGroup>,
    all: &HashMap<String, usize>,
    faults: &Faults,
) -> BTreeMap<String, Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for DraftGroup { name, jobs, group } in declared {
        groups.insert(name.clone(), group);
        for text in jobs {
            let found = names::resolved(&name, &text.text, |name| all.contains_key(name));
            let found = found.and_then(|found| drafts.get_mut(*all.get(&found)?));
            if let Some(draft) = found {
                join(draft, &name, &text.place, &mut groups, faults);
            } else {
                let message = format!("[groups.{name}] lists {:?}, which is not a job", text.text);
                faults.add(&text.place, message);
            }
        }
    }
    for draft in drafts {
        if let Some(written) = draft.group.clone() {
            let name = group_name(&draft.name, &written.text, &groups);
            join(draft, &name, &written.place, &mut groups, faults);
        }
    }
    groups
}

/// Puts a job into a group, unless it is in another one. `place` is where that is written.
fn join(
    draft: &mut Draft,
    group: &str,
    place: &Place,
    groups: &mut BTreeMap<String, Group>,
    faults: &Faults,
) {
    match &draft.job.group {
        Some(other) if other != group => {
            let job = &draft.name;
            let message = format!(
                "\"{job}\" is in the groups \"{other}\" and \"{group}\"; a job has one group"
            );
            faults.add(place, message);
        }
        Some(_) => {}
        None => {
            let members = groups.entry(group.to_owned()).or_default();
            members.jobs.push(draft.name.clone());
            draft.job.group = Some(group.to_owned());
        }
    }
}

/// The whole name of the group that a job names: a declared one, or else a new one beside the job.
fn group_name(job: &str, written: &str, groups: &BTreeMap<String, Group>) -> String {
    let declared = names::resolved(job, written, |name| groups.contains_key(name));
    declared.unwrap_or_else(|| match job.rsplit_once('/') {
        Some((outer, _)) => format!("{outer}/{written}"),
        None => written.to_owned(),
    })
}

/// Reports ports that are written twice, and variables of ports whose names are the same.
fn check_ports(drafts: &[Draft], faults: &Faults) {
    let mut seen: HashMap<u16, (&str, &Place)> = HashMap::new();
    let mut variables: HashSet<String> = HashSet::new();
    for draft in drafts {
        for (name, port) in &draft.job.ports {
            if !variables.insert(ports::variable(&draft.name, name)) {
                let message = format!(
                    "another job has the variable {} as well",
                    ports::variable(&draft.name, name)
                );
                faults.warn(Fault::at(&draft.place, message));
            }
            let Some(place) = draft.ports.get(name) else {
                continue;
            };
            match seen.get(port) {
                None => {
                    seen.insert(*port, (&draft.name, place));
                }
                Some((other, first)) => {
                    let message = format!(
                        "port {port} of [jobs.{}] is also a port of [jobs.{other}]",
                        draft.name
                    );
                    let mut fault = Fault::at(place, message);
                    fault.also = vec![Fault::at(first, "is the other place")];
                    faults.push(fault);
                }
            }
        }
    }
}

/// Reports templates that are not well formed, and ports of jobs that do not exist.
fn check_templates(drafts: &[Draft], faults: &Faults) {
    let ports: Ports = drafts
        .iter()
        .map(|draft| (draft.name.clone(), draft.job.ports.clone()))
        .collect();
    let is_known = !drafts.iter().any(|draft| draft.is_port_bad);
    for Draft { name, job, .. } in drafts {
        for (key, text) in job.templates() {
            if !template::is_template(text) {
                continue;
            }
            let why = match template::parse(text) {
                Ok(pieces) if is_known => bad_port(&pieces, &ports, name),
                Ok(_) => None,
                Err(why) => Some(why),
            };
            if let Some(why) = why {
                let message = format!("\"{key}\" in [jobs.{name}]: {why}");
                faults.add(&job.place(&key), message);
            }
        }
    }
}

/// What is wrong with the first port of a template that is not known.
fn bad_port(pieces: &[Piece<'_>], all: &Ports, from: &str) -> Option<String> {
    pieces.iter().find_map(|piece| match piece {
        Piece::Port(reference) => ports::port_of(all, from, reference).err(),
        Piece::Variable(_, Some(default)) => bad_port(default, all, from),
        _ => None,
    })
}
