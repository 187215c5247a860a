//! When directories are scanned, and what follows from what was found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::scan::{self, Failure, Found, MOST_DIRECTORIES, Outcome, Scanned, Start};
use super::tree::{Interest, JobId};
use super::watcher::{Done, Report, Watcher};
use crate::daemon::threads;
use crate::engine::project::watching::{Pending, Touch};
use crate::sys::file_watch;

impl Watcher {
    /// Begins the next scan.
    pub(super) fn begin_scan(&mut self) {
        if self.is_scanning || self.starts.is_empty() {
            return;
        }
        let starts = std::mem::take(&mut self.starts);
        let ids: BTreeSet<JobId> = starts.iter().flat_map(Start::jobs).copied().collect();
        let mut jobs = Vec::new();
        for id in ids {
            let Some(job) = self.jobs.get(&id).filter(|job| !job.has_failed) else {
                continue;
            };
            if !job.is_set {
                self.setting.insert(id);
            }
            // Those that are walked are counted again.
            let is_walked = |path: &Path| {
                let mut starts = starts.iter().filter(|start| start.jobs().contains(&id));
                starts.any(|start| match start {
                    Start::Appeared(below, ..) => path.starts_with(below),
                    Start::Paths(_) | Start::Rules(_) => true,
                })
            };
            let others = self.tree.iter().filter(|dir| dir.whole.contains(&id));
            jobs.push(Scanned {
                id,
                filter: job.filter.clone(),
                paths: job.wanted.watch.paths.clone(),
                directories: others.filter(|dir| !is_walked(&dir.path)).count(),
            });
        }
        if jobs.is_empty() {
            return;
        }
        self.is_scanning = true;
        let adder = self.adder.clone();
        self.work.spawn_local(threads::run("file scan", move || {
            let outcome = scan::scan(&adder, jobs, &starts);
            Done::Scan(outcome, starts)
        }));
    }

    /// Directories are watched now.
    pub(super) fn scanned(&mut self, mut outcome: Outcome, starts: &[Start]) {
        self.is_scanning = false;
        for (id, lock) in std::mem::take(&mut outcome.git_locks) {
            if let Some(job) = self.jobs.get_mut(&id) {
                job.git_lock = Some(lock);
            }
        }
        for found in &mut outcome.found {
            found.whole.retain(|id| self.jobs.contains_key(id));
            found.interests.retain(|(_, id)| self.jobs.contains_key(id));
        }
        let mut appeared = Vec::new();
        for found in &outcome.found {
            self.leaving.remove(&found.dir);
            if found.whole.is_empty() && found.interests.is_empty() {
                if self.tree.get(found.dir).is_none() {
                    self.leaving.insert(found.dir);
                }
            } else if self.tree.add(found) && found.has_appeared {
                appeared.push(found);
            }
        }
        self.leave_ignored(&outcome, starts);
        for found in appeared {
            self.appeared(found);
        }
        self.fail(&outcome.failed);
        let seq = self.tree.seq();
        for id in std::mem::take(&mut self.setting) {
            if let Some(job) = self.jobs.get_mut(&id) {
                (job.is_set, job.seq) = (true, seq);
                self.reports.push(Report::Set(job.wanted.job.clone()));
            }
        }
        for event in std::mem::take(&mut self.waiting) {
            self.waited(&event);
        }
    }

    /// The files of a directory that is new to a job that was watched already have changed.
    fn appeared(&mut self, found: &Found) {
        let touch = Touch {
            is_new: true,
            is_weak: false,
            is_open: false,
        };
        for (name, _) in &found.files {
            let path = found.path.join(name);
            for id in &found.whole {
                let job = self.jobs.get(id);
                if job.is_some_and(|job| job.is_set && job.filter.takes(&path, &found.rules)) {
                    self.change(*id, &path, touch);
                }
            }
            for (interest, id) in &found.interests {
                let is_set = self.jobs.get(id).is_some_and(|job| job.is_set);
                if is_set && *interest == Interest::File(name.clone()) {
                    self.change(*id, &path, touch);
                }
            }
        }
    }

    /// Leaves the directories that are ignored now that the rules of git have changed.
    fn leave_ignored(&mut self, outcome: &Outcome, starts: &[Start]) {
        let ids: BTreeSet<JobId> = starts
            .iter()
            .filter(|start| matches!(start, Start::Rules(_)))
            .flat_map(Start::jobs)
            .copied()
            .collect();
        if ids.is_empty() {
            return;
        }
        let found = outcome.found.iter();
        let walked: BTreeMap<&Path, &Found> =
            found.map(|found| (found.path.as_path(), found)).collect();
        let is_wanted = |id: JobId, path: &Path| {
            let found = walked.get(path);
            found.is_some_and(|found| {
                found.whole.contains(&id) || found.interests.iter().any(|(_, own)| *own == id)
            })
        };
        let leaves = |id: JobId, path: &Path| ids.contains(&id) && !is_wanted(id, path);
        let idle = self.tree.leave(None, leaves);
        self.leaving.extend(idle);
    }

    /// Jobs cannot be watched.
    fn fail(&mut self, failed: &BTreeMap<JobId, Failure>) {
        for (id, failure) in failed {
            self.setting.remove(id);
            if let Some(job) = self.jobs.get_mut(id) {
                (job.has_failed, job.is_set) = (true, false);
                job.pending = Pending::new(job.wanted.watch.debounce_ms);
                let why = why(*failure);
                self.reports
                    .push(Report::Failed(job.wanted.job.clone(), why));
            }
        }
        let ids: Vec<JobId> = failed.keys().copied().collect();
        self.leave(&ids);
    }
}

/// The failure, and what to do next.
fn why(failure: Failure) -> String {
    match failure {
        Failure::NoWatches => {
            let most = file_watch::most_watches();
            let most = most
                .map(|most| format!(" (it is {most})"))
                .unwrap_or_default();
            format!(
                "the system has no file watches left; raise fs.inotify.max_user_watches{most}, or watch less"
            )
        }
        Failure::WholeSystem => {
            "/ is the whole system; name the directories of the job in paths".to_owned()
        }
        Failure::TooMany => format!(
            "it has more than {MOST_DIRECTORIES} directories; name fewer in paths, or ignore some"
        ),
    }
}
