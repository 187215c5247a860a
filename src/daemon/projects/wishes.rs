//! From the definitions of jobs to the wish for them.

use std::collections::BTreeSet;

use crate::engine::project::wish::Queue;
use crate::engine::project::{JobWish, Wish};
use crate::project as file;
use crate::protocol::suggest::nearest;
use crate::protocol::{Error, ErrorCode};

/// Takes the definitions of a file over into a wish. What is wished so far of each job stays; jobs that are not in
/// the file any more are left out.
pub(crate) fn define(wish: &mut Wish, project: &file::Project) {
    let old = std::mem::take(&mut wish.jobs);
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
        let defined = JobWish {
            needs: job.needs.clone(),
            is_task: job.is_task,
            autostart: job.autostart,
            has_probe: job.ready.is_some(),
            is_scheduled: job.schedule.is_some(),
            at_start: job.schedule.as_ref().is_some_and(|times| times.at_start),
            queue: queue_of(name, job),
            ..before
        };
        wish.jobs.insert(name.clone(), defined);
    }
    let paused = |name: &String| wish.queues.get(name).is_some_and(|queue| queue.paused);
    wish.queues = queued
        .iter()
        .map(|(name, group)| {
            let queue = Queue {
                parallel: group.parallel,
                paused: paused(name),
            };
            ((*name).clone(), queue)
        })
        .collect();
}

/// The jobs that a request names: by name, `g:GROUP` or `+TAG`; without names those that start by themselves.
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
        let fits = |job: &String, defined: &file::Job| {
            if let Some(group) = name.strip_prefix("g:") {
                let listed = project.groups.get(group);
                defined.group.as_deref() == Some(group)
                    || listed.is_some_and(|listed| listed.jobs.contains(job))
            } else if let Some(tag) = name.strip_prefix('+') {
                defined.tags.iter().any(|own| own == tag)
            } else {
                job == name
            }
        };
        let before = found.len();
        let fitting = jobs.iter().filter(|(job, defined)| fits(job, defined));
        let fitting: Vec<String> = fitting.map(|(job, _)| job.clone()).collect();
        let is_known = !fitting.is_empty();
        found.extend(fitting);
        if !is_known && found.len() == before {
            let message = format!("project {} has no job `{name}`", project.name);
            let error = Error::new(ErrorCode::SessionNotFound, message);
            return Err(match nearest(name, jobs.keys().map(String::as_str)) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint(format!("it has {}", listed(jobs.keys()))),
            });
        }
    }
    Ok(found)
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
