//! The rows of the list: groups, and the jobs in them, in an order that does not jump.
//!
//! Groups come in the order of their oldest job, the one of the current directory first. In a group the sort
//! decides; an ended job keeps its place until it is removed.

use std::collections::HashSet;

use super::job::Job;
use super::query::Query;
use super::sort::Sort;

/// One row. Jobs are places in the model's list of jobs.
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
    /// What identifies it.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// Its jobs that pass the filter.
    pub jobs: Vec<usize>,
    /// Whether its jobs are hidden.
    pub folded: bool,
}

/// The rows for `jobs` under a filter. With one group only there is no header.
pub fn rows(
    jobs: &[Job],
    query: &Query,
    folded: &HashSet<String>,
    sort: Sort,
    cwd: &str,
) -> Vec<Row> {
    let mut groups: Vec<(Group, bool, i64)> = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        let (key, title) = group_of(job);
        let here = job.record.summary.cwd == cwd;
        let born = job.record.summary.created_at.millis();
        let at = match groups.iter().position(|(group, ..)| group.key == key) {
            Some(at) => at,
            None => {
                let folded = folded.contains(&key);
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
        if query.matches(job) {
            group.jobs.push(index);
        }
    }
    let headed = groups.len() > 1;
    groups.sort_by(|(a, a_here, a_born), (b, b_here, b_born)| {
        b_here
            .cmp(a_here)
            .then(a_born.cmp(b_born))
            .then(a.key.cmp(&b.key))
    });
    let mut rows = Vec::new();
    for (mut group, ..) in groups {
        if group.jobs.is_empty() {
            continue;
        }
        sort.sort(&mut group.jobs, jobs);
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

/// The group a job belongs to: its name, or the directory it runs in.
pub fn group_of(job: &Job) -> (String, String) {
    match job
        .record
        .summary
        .group
        .as_deref()
        .filter(|name| !name.is_empty())
    {
        Some(name) => (format!("g:{name}"), crate::term::sanitize::clean(name)),
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
    fn what_waits_for_a_person_is_first_in_its_group() {
        let names = shown(&shop(), &[], "/");
        assert_eq!(names[..3], ["[shop]", "migrate", "web"]);
    }

    #[test]
    fn the_directory_one_is_in_comes_first() {
        let names = shown(&shop(), &[], &format!("{HOME}/notes"));
        assert_eq!(names[0], "[~/notes]");
    }

    #[test]
    fn one_group_needs_no_header() {
        assert_eq!(shown(&[job("a"), job("b")], &[], "/"), ["a", "b"]);
    }
}
