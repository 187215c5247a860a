//! Which of the files that have been written really differ.

use std::path::PathBuf;

use super::Changes;
use super::print::print;
use super::tree::JobId;
use super::watcher::{Done, Report, Watcher};
use crate::daemon::clock::now;
use crate::daemon::threads;
use crate::engine::project::watching::{Batch, Before, MANY, Print, is_change};

impl Watcher {
    /// Has the changes of the jobs looked at that are due.
    pub(super) fn begin_checks(&mut self) {
        let at = now().boot;
        for (id, job) in &mut self.jobs {
            if job.is_checking {
                continue;
            }
            let Some(batch) = job.pending.take(at) else {
                continue;
            };
            job.is_checking = true;
            let (id, lock) = (*id, job.git_lock.clone());
            let (lock, seq) = (lock.filter(|_| batch.may_wait(at)), self.tree.seq());
            self.work.spawn_local(threads::run("file checks", move || {
                let is_locked = lock.is_some_and(|lock| lock.symlink_metadata().is_ok());
                if batch.waits_for_git(is_locked) {
                    return Done::WaitsForGit(id, batch, is_locked);
                }
                let files = batch.files.keys().filter(|_| !batch.is_certain);
                let files: Vec<PathBuf> = files.cloned().collect();
                let prints = files.into_iter().map(|path| {
                    let print = print(&path).map(|(print, _)| print);
                    (path, print)
                });
                let prints = prints.collect();
                Done::Checked(id, batch, seq, prints)
            }));
        }
    }

    /// Files were looked at.
    pub(super) fn checked(
        &mut self,
        id: JobId,
        batch: &Batch,
        seq: u64,
        prints: Vec<(PathBuf, Option<Print>)>,
    ) {
        let Some(job) = self.jobs.get_mut(&id) else {
            return;
        };
        job.is_checking = false;
        let after = std::mem::replace(&mut job.seq, seq);
        let is_alone = self.tree.seq() == seq;
        let mut changes = Changes {
            files: Vec::new(),
            new: Vec::new(),
            more: 0,
            first: batch.first,
            last: batch.last,
        };
        if batch.is_certain {
            for path in batch.files.keys() {
                self.tree.forget_file(path);
            }
            changes.files = batch.files.keys().take(Changes::NAMED).cloned().collect();
            changes.more = MANY.min(batch.files.len()).saturating_sub(Changes::NAMED);
            self.reports
                .push(Report::Changed(job.wanted.job.clone(), changes));
            return;
        }
        for (path, print) in prints {
            let Some(touch) = batch.files.get(&path) else {
                continue;
            };
            let seen = job.ahead.get(&path).map_or(after, |seen| after.max(*seen));
            let (before, is_newer) = self.tree.before(&path, seen);
            let differs = is_change(before, print, *touch);
            if differs {
                self.tree.changed(&path, print);
            } else if before == Before::Unknown {
                self.tree.learned(&path, print);
            }
            job.ahead.insert(path.clone(), self.tree.seq());
            if !differs && !is_newer {
                continue;
            }
            if changes.files.len() < Changes::NAMED {
                if touch.is_new {
                    changes.new.push(path.clone());
                }
                changes.files.push(path);
            } else {
                changes.more += 1;
            }
        }
        if is_alone {
            // Else changes that other jobs have noticed meanwhile may still be to come for this one.
            job.seq = self.tree.seq();
        }
        let seen = job.seq;
        job.ahead.retain(|_, ahead| *ahead > seen);
        if !changes.files.is_empty() {
            self.reports
                .push(Report::Changed(job.wanted.job.clone(), changes));
        }
    }
}
