//! The jobs as completions, with their state as description.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap_complete::engine::CompletionCandidate;

use super::hosts;
use crate::cli::beside;
use crate::cli::context::{own_file, target};
use crate::cli::output::words;
use crate::client::{self, Running, greeting};
use crate::project::Project;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::{Action, Record, SessionId, Status, Summary};
use crate::term::sanitize::clean;

/// How long a person who presses TAB waits for a daemon that does not answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Most jobs that are offered.
const MOST: usize = 1000;

/// Which jobs a verb can act on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Any.
    Any,
    /// Those that have not ended.
    Going,
    /// Those that have ended.
    Ended,
    /// Those that are paused, and those that were lost.
    Resumable,
    /// Any, and the jobs of the project of this directory, which may never have run.
    AnyAndProject,
    /// Only the jobs of the project of this directory.
    Project,
}

impl Which {
    /// The jobs that a verb can act on.
    pub fn of(verb: &str) -> Self {
        match verb {
            "stop" | "kill" | "signal" | "pause" | "send" | "keys" | "attach" | "decline" => {
                Self::Going
            }
            "rm" => Self::Ended,
            "resume" => Self::Resumable,
            "start" | "restart" => Self::AnyAndProject,
            "up" | "exec" | "env" => Self::Project,
            _ => Self::Any,
        }
    }

    fn fits(self, job: &Summary) -> bool {
        match self {
            Self::Any | Self::AnyAndProject => true,
            Self::Project => job.project.is_some(),
            Self::Going => !job.status.is_finished(),
            Self::Ended => job.status.is_finished(),
            Self::Resumable => matches!(job.status, Status::Paused | Status::Lost),
        }
    }
}

/// The jobs, groups and tags whose names begin with `word`, the newest first.
pub fn candidates(word: &OsStr, which: Which) -> Vec<CompletionCandidate> {
    let Some(word) = word.to_str() else {
        return Vec::new();
    };
    let is_wanted = matches!(which, Which::AnyAndProject | Which::Project);
    let project = is_wanted.then(own_file::here).flatten();
    let mut listed = listed();
    if let (Which::Project, Some(project)) = (which, &project) {
        listed.retain(|job| {
            let own = job.summary.project.as_ref();
            own.is_some_and(|own| Path::new(&own.project.dir) == project.dir)
        });
    }
    let mut found = of(&listed, word, which);
    if let Some(project) = project {
        found = with_project(found, &project, word, which);
    }
    found
}

/// The groups (`g:`) or tags (`+`) that jobs have, without that sign, which begin with `word`.
pub(super) fn marks(word: &OsStr, sign: &str) -> Vec<CompletionCandidate> {
    let marked = format!("{sign}{}", word.to_string_lossy());
    let found = of(&listed(), &marked, Which::Any).into_iter();
    found
        .filter_map(|one| {
            let name = one.get_value().to_str()?.strip_prefix(sign)?.to_owned();
            Some(CompletionCandidate::new(name))
        })
        .collect()
}

/// The jobs of a project among the jobs that there are. What has run already is shown with its state.
fn with_project(
    known: Vec<CompletionCandidate>,
    project: &Project,
    word: &str,
    which: Which,
) -> Vec<CompletionCandidate> {
    let is_own = |candidate: &CompletionCandidate| {
        let name = candidate.get_value().to_str();
        name.is_some_and(|name| project.jobs.contains_key(name))
    };
    let mut found: Vec<CompletionCandidate> = match which {
        Which::Project => known.into_iter().filter(is_own).collect(),
        _ => known,
    };
    let mut add = |name: String, help: &str| {
        let is_new = !found.iter().any(|one| one.get_value() == name.as_str());
        if is_new && name.starts_with(word) {
            found.push(CompletionCandidate::new(name).help(Some(help.to_owned().into())));
        }
    };
    for name in &project.order {
        let job = project.jobs.get(name);
        let about = job.and_then(|job| job.description.as_deref());
        add(name.clone(), &clean(about.unwrap_or("not started")));
    }
    if which == Which::Project {
        let tags: BTreeSet<_> = project.jobs.values().flat_map(|job| &job.tags).collect();
        for group in project.groups.keys() {
            add(format!("g:{group}"), "all jobs of the group");
        }
        for tag in tags {
            add(format!("+{tag}"), "all jobs with the tag");
        }
    }
    found.truncate(MOST);
    found
}

fn of(jobs: &[Record], word: &str, which: Which) -> Vec<CompletionCandidate> {
    let mut groups = BTreeSet::new();
    let mut tags = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    for job in jobs.iter().map(|job| &job.summary).rev() {
        if !which.fits(job) {
            continue;
        }
        let at = job.session_id.host();
        let at = at.map_or_else(String::new, |host| format!("@{host}"));
        groups.extend(job.group.as_ref().map(|group| format!("g:{group}{at}")));
        tags.extend(job.tags.iter().map(|tag| format!("+{tag}{at}")));
        let name = match (&job.label, job.session_id.host()) {
            (Some(label), Some(host)) => format!("{label}@{host}"),
            (Some(label), None) => label.clone(),
            (None, _) => job.session_id.to_string(),
        };
        // Of several jobs with one name, a target means the newest.
        if name.starts_with(word) && names.insert(name.clone()) {
            let state = words::state(job).0;
            let help = match job.label {
                Some(_) => state,
                None => format!("{state}: {}", words::name(job)),
            };
            found.push(CompletionCandidate::new(name).help(Some(help.into())));
        }
    }
    let groups = groups.into_iter().filter(|group| group.starts_with(word));
    found.extend(
        groups.map(|group| {
            CompletionCandidate::new(group).help(Some("all jobs of the group".into()))
        }),
    );
    let tags = tags.into_iter().filter(|tag| tag.starts_with(word));
    found.extend(
        tags.map(|tag| CompletionCandidate::new(tag).help(Some("all jobs with the tag".into()))),
    );
    found.truncate(MOST);
    found
}

/// The jobs of the running daemon; none if there is no daemon or if it does not answer in time.
fn listed() -> Vec<Record> {
    let (sender, receiver) = channel();
    // Without the thread there is no answer.
    let _ = beside::start(move || {
        let Ok(Running::Yes(mut daemon)) = client::connect_running(&greeting::human()) else {
            return;
        };
        // What is known of other hosts; none is waited for. Without hosts an older daemon understands it, too.
        let has_hosts = !hosts::names().is_empty();
        let list = List {
            limit: Some(MOST),
            host_wait_ms: has_hosts.then_some(0),
            ..List::default()
        };
        let listed: Result<Listed<Record>, _> = daemon.call_as(Action::List(list));
        // The receiver is gone if this took too long.
        let _ = sender.send(listed.map_or_else(|_| Vec::new(), |listed| listed.sessions));
    });
    let mut jobs = receiver.recv_timeout(PATIENCE).unwrap_or_default();
    if let Ok(dir) = std::env::current_dir() {
        own_last(&mut jobs, &dir);
    }
    jobs
}

/// Puts the jobs of the project of a directory behind the others, as if they were the newest: there, a name means them.
fn own_last(jobs: &mut [Record], dir: &Path) {
    let own: BTreeSet<SessionId> = target::of_project_at(dir, jobs)
        .into_iter()
        .map(|job| job.summary.session_id)
        .collect();
    jobs.sort_by_key(|job| own.contains(&job.summary.session_id));
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::output::fixture::record;

    #[test]
    fn a_name_is_that_of_the_job_of_the_project_here() {
        let of = |id: &str, dir: &str, status| {
            let mut job = record(id, Some("web"), status);
            let role = json!({"name": "shop", "dir": dir, "job": "web", "phase": "running",
                "place": 0, "needs": []});
            job.summary.project = Some(serde_json::from_value(role).unwrap());
            job
        };
        let mut jobs = [
            of("here", "/srv/shop", Status::Running),
            of("there", "/srv/other", Status::Killed),
        ];
        own_last(&mut jobs, Path::new("/srv/shop/src"));
        let found = of_names(&jobs);
        assert_eq!(found, ["web: running"]);
        own_last(&mut jobs, Path::new("/srv/other"));
        assert_eq!(of_names(&jobs), ["web: killed"]);
    }

    fn of_names(jobs: &[Record]) -> Vec<String> {
        let found = super::of(jobs, "", Which::Any).into_iter();
        let text = |one: CompletionCandidate| {
            let help = one.get_help().unwrap().to_string();
            format!("{}: {help}", one.get_value().to_str().unwrap())
        };
        found.map(text).collect()
    }
}
