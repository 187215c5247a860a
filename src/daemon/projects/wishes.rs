//! From the definitions of jobs to the wish for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::ProjectId;
use crate::engine::project::Queue;
use crate::engine::project::{JobWish, Member, Wish};
use crate::project as file;
use crate::protocol::glob::Glob;
use crate::protocol::suggest::nearest;
use crate::protocol::{Error, ErrorCode};

/// Takes the definitions of a file over into a wish. What is wished so far of each job stays; jobs that are not in
/// the file any more are left out.
pub(crate) fn define(
    wish: &mut Wish,
    project: &file::Project,
    borrowed: &BTreeMap<String, ProjectId>,
) {
    let old = std::mem::take(&mut wish.jobs);
    let guests = old.iter().filter(|(_, job)| job.member == Member::Guest);
    let guests = guests.map(|(name, job)| (name.clone(), job.clone()));
    wish.jobs.extend(guests);
    let queued: Vec<(&String, &file::Group)> = project
        .groups
        .iter()
        .filter(|(_, group)| group.parallel > 0)
        .collect();
    let queue_of = |name: &String, job: &file::Job| {
        let has = |(group, members): &&(&String, &file::Group)| {
            job.group.as_ref() == Some(*group) || members.jobs.contains(name)
        };
        queued.iter().find(has).map(|(group, _)| (*group).clone())
    };
    for (name, job) in &project.jobs {
        let before = old.get(name).cloned().unwrap_or_default();
        if borrowed.contains_key(name) {
            let looked_at = JobWish {
                is_task: job.is_task,
                has_probe: job.ready.is_some(),
                member: Member::Borrowed,
                ..JobWish::default()
            };
            wish.jobs.insert(name.clone(), looked_at);
            continue;
        }
        let defined = JobWish {
            needs: job.needs.clone(),
            is_task: job.is_task,
            autostart: job.autostart,
            has_probe: job.ready.is_some(),
            is_scheduled: job.schedule.is_some(),
            at_start: job.schedule.as_ref().is_some_and(|times| times.at_start),
            queue: queue_of(name, job),
            member: Member::Own,
            ..before
        };
        wish.jobs.insert(name.clone(), defined);
    }
    let old = std::mem::take(&mut wish.queues);
    let queue = |(name, group): &(&String, &file::Group)| {
        let before = old.get(*name).cloned().unwrap_or_default();
        let queue = Queue {
            parallel: group.parallel,
            pauses_on_failure: group.on_failure == file::OnFailure::Pause,
            ..before
        };
        ((*name).clone(), queue)
    };
    wish.queues = queued.iter().map(queue).collect();
}

/// The directory as projects have it: without symbolic links, if it can be looked at.
pub(crate) fn canonical(dir: &Path) -> PathBuf {
    dir.canonicalize().unwrap_or_else(|_| dir.to_owned())
}

/// The jobs that a request names: by name, `g:GROUP`, `+TAG` or a pattern; without names those that start by themselves.
pub(crate) fn selected(
    project: &file::Project,
    names: Option<&[String]>,
) -> Result<BTreeSet<String>, Error> {
    let jobs = &project.jobs;
    let Some(names) = names else {
        let auto = jobs.iter().filter(|(_, job)| job.autostart);
        return Ok(auto.map(|(name, _)| name.clone()).collect());
    };
    let mut found = BTreeSet::new();
    for name in names {
        let glob = Glob::is_pattern(name).then(|| Glob::new(name));
        let fits = |job: &String, defined: &file::Job| {
            if let Some(group) = name.strip_prefix("g:") {
                let listed = project.groups.get(group);
                defined.group.as_deref() == Some(group)
                    || listed.is_some_and(|listed| listed.jobs.contains(job))
            } else if let Some(tag) = name.strip_prefix('+') {
                defined.tags.iter().any(|own| own == tag)
            } else {
                job == name || glob.as_ref().is_some_and(|glob| glob.fits(job))
            }
        };
        let fitting = jobs.iter().filter(|(job, defined)| fits(job, defined));
        let fitting: Vec<String> = fitting.map(|(job, _)| job.clone()).collect();
        if fitting.is_empty() {
            return Err(no_job(project, name));
        }
        found.extend(fitting);
    }
    Ok(found)
}

/// The error that a project has nothing of this name.
fn no_job(project: &file::Project, name: &str) -> Error {
    let (group, tag) = (name.strip_prefix("g:"), name.strip_prefix('+'));
    let not_found = |what: &str| {
        let message = format!("project {} has no {what}", project.name);
        Error::new(ErrorCode::SessionNotFound, message)
    };
    if let Some(group) = group {
        return not_found(&format!("group `{group}`"));
    }
    if let Some(tag) = tag {
        return not_found(&format!("job with the tag `{tag}`"));
    }
    if Glob::is_pattern(name) {
        return not_found(&format!("job that fits `{name}`"))
            .hint(format!("it has {}", listed(project.jobs.keys())));
    }
    let error = not_found(&format!("job `{name}`"));
    let jobs = project.jobs.keys();
    // Jobs of included files are named with the directory: `sub/api`.
    let is_included = |job: &&String| job.rsplit_once('/').is_some_and(|(_, own)| own == name);
    let included = jobs.clone().find(is_included).map(String::as_str);
    match included.or_else(|| nearest(name, jobs.clone().map(String::as_str))) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("it has {}", listed(jobs))),
    }
}

/// Names for a hint, at most ten of them.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = names.len().saturating_sub(10);
    let mut words: Vec<String> = names.take(10).cloned().collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join(", ")
}
