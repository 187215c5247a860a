//! Finds the jobs that a target means.
//!
//! A target is a label, an id, a unique prefix of either, `g:GROUP`, `+TAG`, a glob over labels, or `-` for the job
//! that the last verb used. If several jobs share a label, the label means the running one, or the
//! newest if none is running. Where one job is needed, nothing else that matches several is one of them.
//! `web#2` is the second newest job named `web`, `shop/web` the job of project `shop`, `shop/*` are all of its jobs. In
//! the directory of a project, a name means the project's own job first; `worker` also all of `worker.1`, `worker.2`.

use std::collections::HashSet;
use std::path::Path;

use crate::cli::output::words;
use crate::protocol::glob::Glob;
use crate::protocol::suggest::nearest;
use crate::protocol::{Record, SessionId, Timestamp};
use crate::term::sanitize::clean;

/// Why a target means no job, or more than one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Miss {
    /// No job has this name or id.
    Unknown {
        /// The target as it was typed.
        target: String,
        /// A similar name that may have been meant.
        near: Option<String>,
    },
    /// The target matches several jobs where one is needed.
    Ambiguous {
        /// The target as it was typed.
        target: String,
        /// One line about each job.
        candidates: Vec<String>,
        /// Whether all of them have the same name, so that only an id tells them apart.
        is_one_name: bool,
    },
    /// The target is `PROJECT/JOB`, and there is no such project, or it has no such job.
    NotInProject {
        /// The target as it was typed.
        target: String,
        /// The project.
        project: String,
        /// The job, if it is what is missing.
        job: Option<String>,
        /// A similar target that may have been meant.
        near: Option<String>,
    },
    /// The target has a number, such as `web#4`, and there are fewer jobs with this name.
    Fewer {
        /// The name.
        name: String,
        /// The number of jobs with this name.
        count: usize,
        /// What means the newest of them.
        newest: String,
    },
    /// The target is `-`, and no verb has used a job on this terminal yet.
    NoRecent,
}

impl Miss {
    /// The same miss among the jobs of a host: the target was typed with its name, and so is what is proposed.
    #[must_use]
    pub fn at(self, host: &str) -> Self {
        let there = |name: String| {
            if name.ends_with(&format!("@{host}")) {
                name
            } else {
                format!("{name}@{host}")
            }
        };
        match self {
            Self::Unknown { target, near } => Self::Unknown {
                target: there(target),
                near: near.map(there),
            },
            Self::Ambiguous {
                target,
                candidates,
                is_one_name,
            } => Self::Ambiguous {
                target: there(target),
                candidates,
                is_one_name,
            },
            Self::NotInProject {
                target,
                project,
                job,
                near,
            } => Self::NotInProject {
                target: there(target),
                project: there(project),
                job,
                near: near.map(there),
            },
            Self::Fewer {
                name,
                count,
                newest,
            } => Self::Fewer {
                name: there(name),
                count,
                newest: there(newest),
            },
            Self::NoRecent => Self::NoRecent,
        }
    }
}

/// The jobs of the project in whose directory `dir` lies; of the innermost one, if there are several.
pub fn of_project_at(dir: &Path, jobs: &[Record]) -> Vec<Record> {
    let depth = |job: &Record| {
        let project = Path::new(&job.summary.project.as_ref()?.project.dir);
        dir.starts_with(project)
            .then(|| project.components().count())
    };
    let Some(deepest) = jobs.iter().filter_map(depth).max() else {
        return Vec::new();
    };
    jobs.iter()
        .filter(|job| depth(job) == Some(deepest))
        .cloned()
        .collect()
}

/// Whether `target` names a job, a group or several jobs among `jobs` as a whole word, not by a prefix or an id.
pub fn is_named(target: &str, jobs: &[Record]) -> bool {
    if let Some(group) = target.strip_prefix("g:") {
        return jobs
            .iter()
            .any(|job| job.summary.group.as_deref() == Some(group));
    }
    if let Some(tag) = target.strip_prefix('+') {
        return jobs.iter().any(|job| has_tag(job, tag));
    }
    let label = counted(target).map_or(target, |(label, _)| label);
    let glob = Glob::is_pattern(target).then(|| Glob::new(target));
    jobs.iter()
        .filter_map(|job| job.summary.label.as_deref())
        .any(|own| own == label || glob.as_ref().is_some_and(|glob| glob.fits(own)))
}

/// The pattern of all instances of an entry of a Procfile, `worker.1` and `worker.2` for `worker`, if there are any.
pub fn instances(target: &str, jobs: &[Record]) -> Option<String> {
    let labels = jobs.iter().filter_map(|job| job.summary.label.as_deref());
    let mut labels = labels.filter(|label| is_instance(label, target));
    let is_any = !is_several(target) && labels.next().is_some();
    is_any.then(|| format!("{target}.[0-9]*"))
}

/// Whether a job is an instance of an entry of a Procfile: `worker.2` of `worker`.
pub fn is_instance(job: &str, entry: &str) -> bool {
    let number = job
        .strip_prefix(entry)
        .and_then(|rest| rest.strip_prefix('.'));
    number.is_some_and(|number| number.parse::<u16>().is_ok())
}

/// Whether a target selects jobs and does not name one: a group, a tag or a pattern.
pub fn is_several(target: &str) -> bool {
    target.starts_with("g:") || target.starts_with('+') || Glob::is_pattern(target)
}

/// Whether `target` means this job only because its name or id begins so.
pub fn is_beginning(target: &str, job: &Record) -> bool {
    let longer = |whole: &str| whole.len() > target.len() && whole.starts_with(target);
    let label = job.summary.label.as_deref();
    label != Some(target) && (label.is_some_and(longer) || longer(job.summary.session_id.as_str()))
}

/// All jobs that `target` means, at least one. `now` is used to print the age of candidates.
pub fn all<'a>(
    target: &str,
    jobs: &'a [Record],
    recent: Option<&SessionId>,
    now: Timestamp,
) -> Result<Vec<&'a Record>, Miss> {
    let unknown = || unknown(target, jobs);
    if let Some(group) = target.strip_prefix("g:") {
        let is_in = |job: &&Record| job.summary.group.as_deref() == Some(group);
        return some(jobs.iter().filter(is_in).collect()).ok_or_else(unknown);
    }
    if let Some(tag) = target.strip_prefix('+') {
        let has_it = |job: &&Record| has_tag(job, tag);
        return some(jobs.iter().filter(has_it).collect()).ok_or_else(|| unknown_tag(target, jobs));
    }
    if Glob::is_pattern(target) {
        let glob = Glob::new(target);
        let (is_of_project, is_of_host) = (target.contains('/'), target.contains('@'));
        // A job without a name has a random id, which no pattern is about.
        let is_of_all = target.chars().all(|c| c == '*');
        let fits = |job: &&Record| {
            let label = job.summary.label.as_deref();
            let name = in_project(job).filter(|_| is_of_project);
            let at_host = on_host(job).filter(|_| is_of_host);
            label.map_or(is_of_all, |label| glob.fits(label))
                || name.is_some_and(|name| glob.fits(&name))
                || at_host.is_some_and(|name| glob.fits(&name))
        };
        return some(jobs.iter().filter(fits).collect()).ok_or_else(unknown);
    }
    one(target, jobs, recent, now).map(|job| vec![job])
}

/// The one job that `target` means.
pub fn one<'a>(
    target: &str,
    jobs: &'a [Record],
    recent: Option<&SessionId>,
    now: Timestamp,
) -> Result<&'a Record, Miss> {
    if target == "-" {
        let id = recent.ok_or(Miss::NoRecent)?;
        let job = jobs.iter().find(|job| job.summary.session_id == *id);
        return job.ok_or_else(|| unknown(id.as_str(), jobs));
    }
    if is_several(target) {
        return single(target, &all(target, jobs, recent, now)?, now);
    }
    let is_it = |job: &&Record| in_project(job).is_some_and(|name| name == target);
    let found: Vec<&Record> = jobs.iter().filter(is_it).collect();
    if !found.is_empty() {
        return of_one_name(target, &newest_first(&found), now);
    }
    let id = |job: &&Record| job.summary.session_id.as_str() == target;
    if let Some(job) = jobs.iter().find(id) {
        return Ok(job);
    }
    let labelled = of_label(target, jobs);
    if !labelled.is_empty() {
        return of_one_name(target, &labelled, now);
    }
    if let Some((label, place)) = counted(target) {
        let labelled = of_label(label, jobs);
        return match labelled.get(place - 1) {
            Some(job) => Ok(job),
            None if labelled.is_empty() => Err(unknown(target, jobs)),
            None => Err(Miss::Fewer {
                name: label.to_owned(),
                count: labelled.len(),
                newest: format!("{label}#1"),
            }),
        };
    }
    let prefix = |job: &&Record| {
        let label = job.summary.label.as_deref().unwrap_or_default();
        label.starts_with(target) || job.summary.session_id.as_str().starts_with(target)
    };
    let prefixed: Vec<_> = jobs.iter().filter(prefix).collect();
    if target.is_empty() || prefixed.is_empty() {
        Err(unknown(target, jobs))
    } else {
        single(target, &prefixed, now)
    }
}

/// `PROJECT/JOB`, if it is a job of a project.
pub fn in_project(job: &Record) -> Option<String> {
    let of = job.summary.project.as_ref()?;
    Some(format!("{}/{}", of.project.name, of.job))
}

/// `NAME@HOST`, if it is a job of another host and has a name.
fn on_host(job: &Record) -> Option<String> {
    let (label, host) = (&job.summary.label, job.summary.session_id.host()?);
    Some(format!("{}@{host}", label.as_ref()?))
}

/// The jobs with this label, newest first.
fn of_label<'a>(label: &str, jobs: &'a [Record]) -> Vec<&'a Record> {
    let is_it = |job: &&Record| job.summary.label.as_deref() == Some(label);
    newest_first(&jobs.iter().filter(is_it).collect::<Vec<_>>())
}

/// Splits `web#2` into the label and the position of the job, counted from the newest, which is 1.
fn counted(target: &str) -> Option<(&str, usize)> {
    let (label, place) = target.rsplit_once('#')?;
    let place = place.parse().ok().filter(|place| *place > 0)?;
    (!label.is_empty()).then_some((label, place))
}

/// Chooses among jobs with one name, newest first: the only one that has not ended, or the newest if all
/// have ended.
fn of_one_name<'a>(target: &str, jobs: &[&'a Record], now: Timestamp) -> Result<&'a Record, Miss> {
    let mut going = jobs.iter().filter(|job| !job.summary.status.is_finished());
    match (going.next(), going.next()) {
        (None, _) => Ok(jobs[0]),
        (Some(running), None) => Ok(running),
        _ => Err(ambiguous(target, jobs, now)),
    }
}

/// The only job of `jobs`, which are at least one. Several jobs with one name are chosen from as that name does.
fn single<'a>(target: &str, jobs: &[&'a Record], now: Timestamp) -> Result<&'a Record, Miss> {
    let labels: HashSet<_> = jobs.iter().map(|job| &job.summary.label).collect();
    if let [only] = jobs {
        return Ok(only);
    }
    if labels.len() == 1 && jobs[0].summary.label.is_some() {
        of_one_name(target, &newest_first(jobs), now)
    } else {
        Err(ambiguous(target, jobs, now))
    }
}

/// The error that a target matches several jobs. Those that have not ended are named first.
fn ambiguous(target: &str, jobs: &[&Record], now: Timestamp) -> Miss {
    let mut candidates = newest_first(jobs);
    candidates.sort_by_key(|job| job.summary.status.is_finished());
    let lines = candidates.iter().map(|job| {
        let line = words::summary(job, now);
        // This is a target, too.
        match &job.summary.project {
            Some(of) => format!("{}/{line}", clean(&of.project.name)),
            None => line,
        }
    });
    Miss::Ambiguous {
        target: target.to_owned(),
        candidates: lines.collect(),
        is_one_name: jobs
            .windows(2)
            .all(|pair| pair[0].summary.label == pair[1].summary.label),
    }
}

/// Jobs in the order of their creation, the newest first. The daemon lists it last; of jobs that were created in the
/// same millisecond, too.
fn newest_first<'a>(jobs: &[&'a Record]) -> Vec<&'a Record> {
    let mut sorted: Vec<&Record> = jobs.iter().rev().copied().collect();
    sorted.sort_by_key(|job| std::cmp::Reverse(job.summary.created_at));
    sorted
}

fn some(jobs: Vec<&Record>) -> Option<Vec<&Record>> {
    (!jobs.is_empty()).then_some(jobs)
}

/// Explains why `target` cannot be a job, if it looks like something else, such as a path. `None`
/// if it does not.
pub fn oddity(target: &str) -> Option<String> {
    if target.is_empty() {
        return Some("it is empty".to_owned());
    }
    if target.contains('/') {
        let what = if std::path::Path::new(target).exists() {
            "a file or directory"
        } else {
            "a path"
        };
        return Some(format!("it is {what}; give the name or id of a job"));
    }
    None
}

fn has_tag(job: &Record, tag: &str) -> bool {
    job.summary.tags.iter().any(|own| own == tag)
}

fn unknown_tag(target: &str, jobs: &[Record]) -> Miss {
    let tags = jobs.iter().flat_map(|job| &job.summary.tags);
    let tag = target.strip_prefix('+').unwrap_or(target);
    let near = nearest(tag, tags.map(String::as_str));
    Miss::Unknown {
        target: target.to_owned(),
        near: near.map(|near| format!("+{near}")),
    }
}

fn unknown(target: &str, jobs: &[Record]) -> Miss {
    if let Some((project, job)) = target.split_once('/')
        && is_plain(project)
        && is_plain(job)
        && !Path::new(target).exists()
    {
        return not_in_project(project, job, jobs);
    }
    let labels = jobs.iter().filter_map(|job| job.summary.label.as_deref());
    Miss::Unknown {
        target: target.to_owned(),
        near: nearest(target, labels).map(str::to_owned),
    }
}

/// Whether a word can be the name of a project or a job, not a part of a path.
fn is_plain(word: &str) -> bool {
    word.starts_with(char::is_alphanumeric) && !word.contains('/')
}

fn not_in_project(project: &str, job: &str, jobs: &[Record]) -> Miss {
    let target = format!("{project}/{job}");
    let of = jobs.iter().filter_map(|job| job.summary.project.as_ref());
    let own: Vec<&str> = of
        .clone()
        .filter(|of| of.project.name == project)
        .map(|of| of.job.as_str())
        .collect();
    if own.is_empty() {
        Miss::NotInProject {
            target,
            project: project.to_owned(),
            job: None,
            near: nearest(project, of.map(|of| of.project.name.as_str()))
                .map(|near| format!("{near}/{job}")),
        }
    } else {
        Miss::NotInProject {
            target,
            project: project.to_owned(),
            job: Some(job.to_owned()),
            near: nearest(job, own).map(|near| format!("{project}/{near}")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Status;

    fn jobs() -> Vec<Record> {
        let mut jobs = vec![
            record("abc", Some("web"), Status::Running),
            record("abd", Some("api"), Status::Done),
            record("x1", Some("old"), Status::Done),
            record("x2", Some("old"), Status::Error),
            record("y1", Some("twice"), Status::Running),
            record("y2", Some("twice"), Status::Paused),
            record("z1", Some("again"), Status::Killed),
            record("z2", Some("again"), Status::Running),
            record("q", None, Status::Done),
        ];
        jobs[0].summary.group = Some("shop".to_owned());
        jobs[1].summary.group = Some("shop".to_owned());
        jobs[1].summary.tags = vec!["back".to_owned(), "slow".to_owned()];
        jobs[7].summary.tags = vec!["slow".to_owned()];
        jobs
    }

    /// The ids, without their padding, of the jobs that `target` means.
    fn meant(target: &str) -> Result<Vec<String>, Miss> {
        let jobs = jobs();
        let recent = SessionId::parse("abd000000000");
        let found = all(target, &jobs, recent.as_ref(), Timestamp(0))?;
        let short = |job: &&Record| {
            job.summary
                .session_id
                .as_str()
                .trim_end_matches('0')
                .to_owned()
        };
        Ok(found.iter().map(short).collect())
    }

    #[test]
    fn labels_ids_and_prefixes_of_ids() {
        assert_eq!(meant("web").unwrap(), ["abc"]);
        assert_eq!(meant("abd000000000").unwrap(), ["abd"]);
        assert_eq!(meant("q").unwrap(), ["q"]);
        assert_eq!(meant("-").unwrap(), ["abd"]);
        // `ab` is a prefix of two ids, of which only one runs.
        assert!(matches!(meant("ab"), Err(Miss::Ambiguous { .. })));
    }

    #[test]
    fn a_label_is_taken_by_its_prefix_and_a_typo_is_suggested() {
        let near = Some("web".to_owned());
        let target = "webb".to_owned();
        let miss = Miss::Unknown { target, near };
        assert_eq!(meant("webb").unwrap_err(), miss);
        let (target, near) = ("webb@gpu1".to_owned(), Some("web@gpu1".to_owned()));
        let there = Miss::Unknown { target, near };
        assert_eq!(miss.at("gpu1"), there);
        assert_eq!(there.clone().at("gpu1"), there, "it was typed so");
        assert_eq!(meant("we").unwrap(), ["abc"]);
        assert!(matches!(meant(""), Err(Miss::Unknown { .. })));
    }

    #[test]
    fn the_only_running_one_wins_and_otherwise_candidates_are_listed() {
        assert_eq!(meant("again").unwrap(), ["z2"]);
        for twofold in ["twice", "tw"] {
            let Err(Miss::Ambiguous { candidates, .. }) = meant(twofold) else {
                panic!("{twofold}");
            };
            assert_eq!(candidates.len(), 2, "{candidates:?}");
            assert!(candidates[0].starts_with("twice  y"), "{candidates:?}");
        }
    }

    #[test]
    fn a_name_of_ended_jobs_means_the_newest_and_numbers_count_from_it() {
        assert_eq!(meant("old").unwrap(), ["x2"]);
        assert_eq!(meant("ol").unwrap(), ["x2"]);
        assert_eq!(meant("old#1").unwrap(), ["x2"]);
        assert_eq!(meant("old#2").unwrap(), ["x1"]);
        assert_eq!(meant("again#2").unwrap(), ["z1"]);
        assert_eq!(meant("twice#1").unwrap(), ["y2"]);
        let fewer = |at: &str| Miss::Fewer {
            name: format!("old{at}"),
            count: 2,
            newest: format!("old#1{at}"),
        };
        assert_eq!(meant("old#3").unwrap_err(), fewer(""));
        assert_eq!(meant("old#3").unwrap_err().at("gpu1"), fewer("@gpu1"));
        for target in ["old#0", "old#", "old#x", "#1", "ol#1"] {
            assert!(
                matches!(meant(target), Err(Miss::Unknown { .. })),
                "{target}"
            );
        }
    }

    #[test]
    fn groups_and_globs_mean_all_of_theirs() {
        assert_eq!(meant("g:shop").unwrap(), ["abc", "abd"]);
        assert!(matches!(meant("g:nix"), Err(Miss::Unknown { .. })));
        assert_eq!(meant("*w*").unwrap(), ["abc", "y1", "y2"]);
        assert_eq!(meant("?ld").unwrap(), ["x1", "x2"]);
        assert_eq!(meant("[a-b]pi").unwrap(), ["abd"]);
        assert_eq!(meant("{web,api}").unwrap(), ["abc", "abd"]);
        assert_eq!(meant("[!a]eb").unwrap(), ["abc"]);
        assert!(meant("w.b*").is_err());
        assert!(meant("[z-a]*").is_err());
        // A job without a name has only a random id.
        assert!(meant("q*").is_err());
        assert_eq!(meant("*").unwrap().len(), jobs().len());
    }

    #[test]
    fn a_pattern_can_be_about_the_hosts() {
        let mut jobs = vec![
            record("a", Some("q1"), Status::Running),
            record("b", Some("q2"), Status::Running),
        ];
        jobs[1].summary.session_id = SessionId::parse_any("b00000000000@gpu1").unwrap();
        for (pattern, count) in [("q@*", 0), ("q*@*", 1), ("*@gpu?", 1), ("q*", 2)] {
            let found = all(pattern, &jobs, None, Timestamp(0));
            assert_eq!(found.map_or(0, |found| found.len()), count, "{pattern}");
        }
    }

    #[test]
    fn an_entry_of_a_procfile_means_all_of_its_instances() {
        let job = |id, label| record(id, Some(label), Status::Running);
        let jobs = [
            job("a", "worker.1"),
            job("b", "worker.12"),
            job("c", "worker.js"),
            job("d", "web"),
        ];
        let pattern = instances("worker", &jobs).unwrap();
        let found = all(&pattern, &jobs, None, Timestamp(0)).unwrap();
        let names: Vec<String> = found.iter().map(|job| words::name(&job.summary)).collect();
        assert_eq!(names, ["worker.1", "worker.12"]);
        for none in ["web", "work", "worker.1", "w*", ""] {
            assert_eq!(instances(none, &jobs), None, "{none}");
        }
    }

    #[test]
    fn tags_mean_all_jobs_that_have_them() {
        assert_eq!(meant("+slow").unwrap(), ["abd", "z2"]);
        assert_eq!(meant("+back").unwrap(), ["abd"]);
        let (target, near) = ("+slo".to_owned(), Some("+slow".to_owned()));
        assert_eq!(meant("+slo").unwrap_err(), Miss::Unknown { target, near });
        let jobs = jobs();
        assert!(is_named("+slow", &jobs) && !is_named("+slo", &jobs));
    }

    #[test]
    fn where_one_job_is_needed_a_group_stands_for_its_only_one() {
        let jobs = jobs();
        for several in ["g:shop", "+slow", "*", "*w*"] {
            let found = one(several, &jobs, None, Timestamp(0));
            assert!(matches!(found, Err(Miss::Ambiguous { .. })), "{several}");
        }
        for (only, name) in [("+back", "api"), ("ag*", "again"), ("g:shop", "web")] {
            let jobs = match only {
                "g:shop" => &jobs[..1],
                _ => &jobs,
            };
            let found = one(only, jobs, None, Timestamp(0)).unwrap();
            assert_eq!(words::name(&found.summary), name);
        }
        assert_eq!(
            one("-", &jobs, None, Timestamp(0)).unwrap_err(),
            Miss::NoRecent
        );
    }
}
