//! What a person has looked at in the dashboard, for the next one that is opened.
//!
//! A small JSON file of the state directory. It is a convenience, as the last job is ([`last_job`](super::last_job)): where it cannot
//! be read, nothing was looked at; where it cannot be written, nothing is said. Nothing of a job's output is in it.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::protocol::SessionId;
use crate::sys::file;
use crate::sys::paths::Home;

/// Its name in the state directory.
const FILE: &str = "looked.json";

/// Larger than it can be: more is not ours.
const MAX_BYTES: u64 = 1 << 20;

/// Jobs kept at most, those looked at last: one takes less than a hundred bytes, so that all stay below
/// [`MAX_BYTES`].
const MAX_JOBS: usize = 10_000;

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SeenJobs {
    /// When a view was last open, in milliseconds since the epoch.
    pub at: i64,
    /// The last event that it had heard of.
    pub seq: u64,
    /// How far each job was looked at.
    pub jobs: HashMap<String, JobSeen>,
}

/// How far one job was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSeen {
    /// Lines of clean text that there were.
    pub lines: u64,
    /// When, in milliseconds since the epoch.
    pub at: i64,
}

/// Keeps what was looked at. What another view has kept since, of jobs that are still `known`, stays.
pub fn remember(looked: &SeenJobs, known: impl Fn(&SessionId) -> bool) {
    if let Ok(home) = Home::locate() {
        write(&home.state.join(FILE), looked, known);
    }
}

/// What was kept last; `None`: nothing.
pub fn recall() -> Option<SeenJobs> {
    read(&Home::locate().ok()?.state.join(FILE))
}

fn write(path: &Path, looked: &SeenJobs, known: impl Fn(&SessionId) -> bool) {
    let mut all = read(path).unwrap_or_default();
    let is_known = |id: &String| SessionId::parse(id).is_some_and(|id| known(&id));
    all.jobs.retain(|id, _| is_known(id));
    if looked.at >= all.at {
        (all.at, all.seq) = (looked.at, looked.seq);
    }
    for (id, job) in &looked.jobs {
        if !is_known(id) {
            continue;
        }
        let kept = all.jobs.entry(id.clone()).or_default();
        if kept.at <= job.at {
            *kept = *job;
        }
    }
    if all.jobs.len() > MAX_JOBS {
        let mut jobs: Vec<_> = all.jobs.drain().collect();
        jobs.sort_by_key(|(_, job)| std::cmp::Reverse(job.at));
        jobs.truncate(MAX_JOBS);
        all.jobs = jobs.into_iter().collect();
    }
    if let Ok(bytes) = serde_json::to_vec(&all) {
        let _ = file::replace(path, &bytes);
    }
}

fn read(path: &Path) -> Option<SeenJobs> {
    if std::fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn looked(at: i64, jobs: &[(&SessionId, u64, i64)]) -> SeenJobs {
        let job =
            |&(id, lines, at): &(&SessionId, u64, i64)| (id.to_string(), JobSeen { lines, at });
        SeenJobs {
            at,
            seq: 7,
            jobs: jobs.iter().map(job).collect(),
        }
    }

    #[test]
    fn what_is_kept_is_read_and_garbage_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        assert_eq!(read(&path), None);
        let id = SessionId::fresh();
        let kept = looked(5, &[(&id, 3, 4)]);
        write(&path, &kept, |_| true);
        assert_eq!(read(&path), Some(kept));
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::write(&path, r#"{"jobs": {"x": {}}, "more": 1}"#).unwrap();
        assert!(read(&path).is_some_and(|looked| looked.at == 0));
        std::fs::write(&path, "][").unwrap();
        assert_eq!(read(&path), None);
    }

    #[test]
    fn the_newer_of_two_views_is_believed_and_removed_jobs_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let (a, b, gone) = (SessionId::fresh(), SessionId::fresh(), SessionId::fresh());
        write(&path, &looked(9, &[(&a, 9, 9), (&gone, 1, 1)]), |_| true);
        write(&path, &looked(5, &[(&a, 5, 5), (&b, 2, 5)]), |id| {
            *id != gone
        });
        assert_eq!(read(&path), Some(looked(9, &[(&a, 9, 9), (&b, 2, 5)])));
        write(&path, &looked(9, &[(&gone, 1, 1)]), |id| *id != gone);
        assert_eq!(read(&path).map(|all| all.jobs.len()), Some(2));
    }

    #[test]
    fn it_never_grows_too_large_to_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let most = JobSeen {
            lines: u64::MAX,
            at: i64::MAX - 1,
        };
        let job = |_| (SessionId::fresh().to_string(), most);
        let mut all = looked(1, &[]);
        all.jobs = (0..MAX_JOBS + 10).map(job).collect();
        let newest = SessionId::fresh();
        let at = i64::MAX;
        all.jobs
            .insert(newest.to_string(), JobSeen { lines: 1, at });
        write(&path, &all, |_| true);
        let kept = read(&path).unwrap().jobs;
        assert_eq!(kept.len(), MAX_JOBS);
        assert!(kept.contains_key(newest.as_str()));
    }
}
