//! The rows of the list: groups and their jobs, in a stable order.
//!
//! The jobs of a project stand together, whatever their groups. Groups are ordered by their oldest job,
//! with the group of the current directory first. Within a
//! group the sort order decides; an ended job keeps its place until it is removed. While a filter
//! stands, all groups are unfolded, and better matches come first, also among the groups.

use std::collections::HashSet;

use super::job::Job;
use super::query::Query;
use super::sort::Sort;
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
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its jobs that match the filter.
    pub jobs: Vec<usize>,
    /// Whether its jobs are hidden.
    pub folded: bool,
}

/// The rows for `jobs` that match a filter. If there is only one group, it has no header.
pub fn rows(
    jobs: &[Job],
    query: &Query,
    folded: &HashSet<String>,
    sort: Sort,
    cwd: &str,
) -> Vec<Row> {
    let mut groups: Vec<(Group, bool, i64)> = Vec::new();
    let ranks: Vec<Option<u32>> = jobs.iter().map(|job| query.rank(job)).collect();
    for (index, job) in jobs.iter().enumerate() {
        let (key, title) = group_of(job);
        let here = match job.role() {
            Some(role) => is_within(cwd, &role.project.dir),
            None => job.record.summary.cwd == cwd,
        };
        let born = job.record.summary.created_at.millis();
        let at = match groups.iter().position(|(group, ..)| group.key == key) {
            Some(at) => at,
            None => {
                let folded = query.is_empty() && folded.contains(&key);
                let group = Group {
                    key,
                    title,
                    jobs: Vec::new(),
                    folded,
                };
                groups.push((group, false, born));
                groups.len() - 1
            }
        };
        let (group, is_here, oldest) = &mut groups[at];
        *is_here |= here;
        *oldest = (*oldest).min(born);
        if ranks[index].is_some() {
            group.jobs.push(index);
        }
    }
    let of_project = |group: &Group| group.key.starts_with(PROJECT);
    let headed = groups.len() > 1 || groups.iter().any(|(group, ..)| of_project(group));
    tell_apart(groups.iter_mut().map(|(group, ..)| group));
    let best = |group: &Group| group.jobs.iter().filter_map(|&index| ranks[index]).min();
    groups.sort_by(|(a, a_here, a_born), (b, b_here, b_born)| {
        best(a)
            .cmp(&best(b))
            .then(b_here.cmp(a_here))
            .then(a_born.cmp(b_born))
            .then(a.key.cmp(&b.key))
    });
    let mut rows = Vec::new();
    for (mut group, ..) in groups {
        if group.jobs.is_empty() {
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

/// The beginning of the key of a project's group. The directory of the project follows.
const PROJECT: &str = "p:";

/// The key of the group of a project.
pub fn key_of_project(dir: &str) -> String {
    format!("{PROJECT}{dir}")
}

/// The directory of the project with this key.
pub fn project_dir(key: &str) -> Option<&str> {
    key.strip_prefix(PROJECT)
}

/// Whether `dir` is `root` or below it.
pub fn is_within(dir: &str, root: &str) -> bool {
    let rest = dir.strip_prefix(root.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Adds the directory to the titles of projects with the same name.
fn tell_apart<'a>(groups: impl Iterator<Item = &'a mut Group>) {
    let mut projects: Vec<&mut Group> = groups
        .filter(|group| project_dir(&group.key).is_some())
        .collect();
    let titles: Vec<String> = projects.iter().map(|group| group.title.clone()).collect();
    for group in &mut projects {
        let twins = titles.iter().filter(|title| **title == group.title).count();
        if let Some(dir) = project_dir(&group.key).filter(|_| twins > 1) {
            group.title = format!("{} {}", group.title, clean(dir));
        }
    }
}

/// Key and title of the group of a job: its project, or the group's name, or the job's directory.
pub fn group_of(job: &Job) -> (String, String) {
    if let Some(role) = job.role() {
        return (key_of_project(&role.project.dir), clean(&role.project.name));
    }
    match job
        .record
        .summary
        .group
        .as_deref()
        .filter(|name| !name.is_empty())
    {
        Some(name) => (format!("g:{name}"), clean(name)),
        None => (format!("d:{}", job.record.summary.cwd), job.dir.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::{HOME, job, shop};

    fn shown(jobs: &[Job], folded: &[&str], cwd: &str) -> Vec<String> {
        let folded = folded.iter().map(|key| (*key).to_owned()).collect();
        rows(jobs, &Query::default(), &folded, Sort::default(), cwd)
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
