//! The rows of the list: groups and their jobs, in a stable order.
//!
//! The jobs of a project stand together, whatever their groups. Those of this machine come first, then those of each
//! host under its heading. Groups are ordered by their oldest job, with the group of the current directory first. Within a
//! group the sort order decides; an ended job keeps its place until it is removed. While a filter
//! stands, all groups are unfolded, and better matches come first, also among the groups.

use std::collections::HashSet;

use super::group_key::{GroupKey, Inner};
use super::hosts;
use super::job::Job;
use super::query::Query;
use super::queues;
use super::sort::Sort;
use crate::protocol::reply::{HostStatus, QueueState};
use crate::term::sanitize::clean;

/// One row. Jobs are given as indexes into the model's job list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// The header of a group.
    Group(Group),
    /// A job.
    Job(usize),
}

/// The header of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its key, which identifies it.
    pub key: GroupKey,
    /// Its title.
    pub title: String,
    /// Its jobs that match the filter.
    pub jobs: Vec<usize>,
    /// Whether its jobs are hidden.
    pub folded: bool,
}

/// The rows for `jobs` that match a filter. If there is only one group, it has no header, unless there is something to say
/// of it: which project, host or queue it is.
pub fn rows(
    jobs: &[Job],
    (hosts, all_queues): (&[HostStatus], &[QueueState]),
    query: &Query,
    folded: &HashSet<GroupKey>,
    sort: Sort,
    cwd: &str,
) -> Vec<Row> {
    let ranks: Vec<Option<u32>> = jobs.iter().map(|job| query.rank(job)).collect();
    let is_folded = |key: &GroupKey| query.is_empty() && folded.contains(key);
    let mut groups = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        let placed = place(&mut groups, job, is_folded);
        placed.is_here |= is_here(job, cwd);
        placed.born = placed.born.min(job.record.summary.created_at.millis());
        if let Some(rank) = ranks[index] {
            placed.best = Some(placed.best.map_or(rank, |best| best.min(rank)));
            placed.group.jobs.push(index);
        }
    }
    if query.is_empty() {
        add_hosts(&mut groups, hosts, is_folded);
    }
    let is_queued = |group: &Group| {
        let mut own = group.jobs.iter();
        own.any(|&index| queues::of(all_queues, &jobs[index]).is_some())
    };
    let is_headed = |group: &Group| {
        group.key.project().is_some() || group.key.host.is_some() || is_queued(group)
    };
    let headed = groups.len() > 1 || groups.iter().any(|placed| is_headed(&placed.group));
    tell_apart(groups.iter_mut().map(|placed| &mut placed.group));
    groups.sort_by(|a, b| a.order().cmp(&b.order()));
    let mut rows = Vec::new();
    for Placed { mut group, .. } in groups {
        if group.jobs.is_empty() && !is_shown(&group, query, hosts) {
            continue;
        }
        sort.sort(&mut group.jobs, jobs);
        // Stable: equally good matches stay in this order.
        group.jobs.sort_by_key(|&index| ranks[index]);
        let shown = group.jobs.clone();
        let open = !(headed && group.folded);
        if headed {
            rows.push(Row::Group(group));
        }
        if open {
            rows.extend(shown.into_iter().map(Row::Job));
        }
    }
    rows
}

/// A group with what decides its place.
struct Placed {
    group: Group,
    /// Whether it has a job of the current directory or project.
    is_here: bool,
    /// When its oldest job was created, in milliseconds.
    born: i64,
    /// How well its best match matches, 0 is best; `None` if no job does.
    best: Option<u32>,
}

impl Placed {
    /// A group without jobs.
    fn new(key: GroupKey, title: String, folded: bool, born: i64) -> Self {
        Self {
            group: Group {
                key,
                title,
                jobs: Vec::new(),
                folded,
            },
            is_here: false,
            born,
            best: None,
        }
    }

    /// Groups are in ascending order of this.
    fn order(&self) -> impl Ord {
        let host = self.group.key.host();
        (host, self.best, !self.is_here, self.born, &self.group.key)
    }
}

/// The group of a job, which is made if this is its first.
fn place<'a>(
    groups: &'a mut Vec<Placed>,
    job: &Job,
    is_folded: impl Fn(&GroupKey) -> bool,
) -> &'a mut Placed {
    let (key, title) = group_of(job);
    let at = groups.iter().position(|placed| placed.group.key == key);
    let at = at.unwrap_or_else(|| {
        let folded = is_folded(&key);
        groups.push(Placed::new(key, title, folded, i64::MAX));
        groups.len() - 1
    });
    &mut groups[at]
}

/// Whether a job is one of the current directory, or of the project that it is in.
fn is_here(job: &Job, cwd: &str) -> bool {
    match job.role() {
        _ if job.host().is_some() => false,
        Some(role) => is_within(cwd, &role.project.dir),
        None => job.record.summary.cwd == cwd,
    }
}

/// Adds the hosts without jobs that want something: they have a line, too.
fn add_hosts(
    groups: &mut Vec<Placed>,
    hosts: &[HostStatus],
    is_folded: impl Fn(&GroupKey) -> bool,
) {
    for host in hosts.iter().filter(|host| hosts::is_shown(host)) {
        let of_host = |key: &GroupKey| key.host() == Some(&host.name);
        if !groups.iter().any(|placed| of_host(&placed.group.key)) {
            let key = GroupKey::on_host(&host.name, Inner::Nothing);
            let folded = is_folded(&key);
            groups.push(Placed::new(key, clean(&host.name), folded, i64::MIN));
        }
    }
}

/// Whether the heading of a group without jobs is shown: that of a host that wants something.
fn is_shown(group: &Group, query: &Query, hosts: &[HostStatus]) -> bool {
    let host = group.key.host();
    let mut wanting = hosts.iter().filter(|host| hosts::is_shown(host));
    query.is_empty() && wanting.any(|status| Some(status.name.as_str()) == host)
}

/// Whether `dir` is `root` or below it.
pub fn is_within(dir: &str, root: &str) -> bool {
    let rest = dir.strip_prefix(root.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Adds the directory to the titles of projects with the same name.
fn tell_apart<'a>(groups: impl Iterator<Item = &'a mut Group>) {
    let mut projects: Vec<&mut Group> = groups
        .filter(|group| group.key.project_here().is_some())
        .collect();
    let titles: Vec<String> = projects.iter().map(|group| group.title.clone()).collect();
    for group in &mut projects {
        let twins = titles.iter().filter(|title| **title == group.title).count();
        if let Some(dir) = group.key.project_here().filter(|_| twins > 1) {
            group.title = format!("{} {}", group.title, clean(dir));
        }
    }
}

/// Key and title of the group of a job: its project, or the group's name, or the job's directory.
pub fn group_of(job: &Job) -> (GroupKey, String) {
    let (inner, title) = group_on_its_machine(job);
    match job.host() {
        None => (GroupKey::here(inner), title),
        // Jobs without a group stand right under the heading of their host.
        Some(host) if matches!(inner, Inner::Dir(_)) => {
            (GroupKey::on_host(host, Inner::Nothing), clean(host))
        }
        Some(host) => {
            let title = format!("{} {title}", clean(host));
            (GroupKey::on_host(host, inner), title)
        }
    }
}

fn group_on_its_machine(job: &Job) -> (Inner, String) {
    if let Some(role) = job.role() {
        let dir = role.project.dir.clone();
        return (Inner::Project(dir), clean(&role.project.name));
    }
    match job
        .record
        .summary
        .group
        .as_deref()
        .filter(|name| !name.is_empty())
    {
        Some(name) => (Inner::Named(name.to_owned()), clean(name)),
        None => (Inner::Dir(job.record.summary.cwd.clone()), job.dir.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::{HOME, job, shop};

    fn shown(jobs: &[Job], folded: &[&str], cwd: &str) -> Vec<String> {
        let folded = folded.iter().filter_map(|key| GroupKey::parse(key));
        let folded = folded.collect();
        rows(
            jobs,
            (&[], &[]),
            &Query::default(),
            &folded,
            Sort::default(),
            cwd,
        )
        .into_iter()
        .map(|row| match row {
            Row::Group(group) => format!("[{}]", group.title),
            Row::Job(index) => jobs[index].name.clone(),
        })
        .collect()
    }

    #[test]
    fn groups_have_headers_and_fold() {
        assert_eq!(
            shown(&shop(), &["g:shop"], "/"),
            ["[shop]", "[~/notes]", "agent", "lint", "build"]
        );
    }

    #[test]
    fn waiting_jobs_come_first_in_their_group() {
        let names = shown(&shop(), &[], "/");
        assert_eq!(names[..3], ["[shop]", "migrate", "web"]);
    }

    #[test]
    fn the_current_directory_comes_first() {
        let names = shown(&shop(), &[], &format!("{HOME}/notes"));
        assert_eq!(names[0], "[~/notes]");
    }

    #[test]
    fn a_single_group_has_no_header() {
        assert_eq!(shown(&[job("a"), job("b")], &[], "/"), ["a", "b"]);
    }
}
