//! How far a person has seen each job in the dashboard, saved for the next dashboard.
//!
//! This is saved in a small JSON file in the state directory, which contains no output of jobs. As
//! with [`last_job`](super::last_job), losing it does no harm: if it cannot be read, no job counts
//! as seen, and errors in writing it are ignored.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::in_state;
use crate::protocol::SessionId;
use crate::sys::file;

/// Name of the file in the state directory.
const FILE: &str = "looked.json";

/// Largest size in bytes; a larger file was not written by bgproc.
const MAX_BYTES: u64 = 1 << 20;

/// Maximum number of jobs in the file; those that were seen last are kept. A job takes less than
/// 100 bytes, so the file stays below [`MAX_BYTES`].
const MAX_JOBS: usize = 10_000;

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SeenJobs {
    /// When a dashboard was last open, in milliseconds since the epoch.
    pub at: i64,
    /// Number of the last event that this dashboard had received.
    pub seq: u64,
    /// How far each job was seen.
    pub jobs: HashMap<String, JobSeen>,
}

/// How far one job was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSeen {
    /// Number of its lines of clean text when it was last seen.
    pub lines: u64,
    /// When it was last seen, in milliseconds since the epoch.
    pub at: i64,
}

/// Saves how far jobs were seen. What another dashboard has saved meanwhile is kept, except for jobs that are
/// not `known` any more. `host` has the jobs, if not this machine.
pub fn remember(looked: &SeenJobs, host: Option<&str>, known: impl Fn(&SessionId) -> bool) {
    if let Some(path) = in_state(FILE, host) {
        write(&path, looked, known);
    }
}

/// Reads the file; `None` if there is none.
pub fn recall(host: Option<&str>) -> Option<SeenJobs> {
    read(&in_state(FILE, host)?)
}

fn write(path: &Path, looked: &SeenJobs, known: impl Fn(&SessionId) -> bool) {
    let mut all = read(path).unwrap_or_default();
    let is_known = |id: &String| SessionId::parse_any(id).is_some_and(|id| known(&id));
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
    super::read(path, MAX_BYTES)
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
    fn reads_back_what_was_saved_and_ignores_garbage() {
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
    fn jobs_of_other_hosts_are_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let there = SessionId::fresh().at("gpu1").unwrap();
        let kept = looked(5, &[(&there, 3, 4)]);
        write(&path, &kept, |id| *id == there);
        write(&path, &looked(5, &[]), |_| true);
        assert_eq!(read(&path), Some(kept));
    }

    #[test]
    fn newer_entries_win_and_removed_jobs_are_dropped() {
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
    fn the_file_stays_small_enough_to_be_read() {
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
