//! What follows from each event in a watched directory.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::scan::Start;
use super::tree::{Dir, Interest, JobId};
use super::watcher::{Waiting, Watcher};
use crate::daemon::clock::now;
use crate::engine::project::watching::Touch;
use crate::sys::file_watch::{DirId, Happened};

/// Most events that wait for the end of a scan. More are taken as a change of everything.
const MOST_WAITING: usize = 20_000;

impl Watcher {
    pub(super) fn event(&mut self, event: Waiting) {
        if self.tree.get(event.dir).is_some() {
            self.known(&event);
        } else if self.is_scanning && event.what != Happened::Left {
            if self.waiting.len() < MOST_WAITING {
                self.waiting.push(event)
            } else {
                self.lost()
            }
        }
    }

    /// Handles an event that has waited for the end of a scan, which may have read the file before or after it.
    pub(super) fn waited(&mut self, event: &Waiting) {
        let Some(dir) = self.tree.get(event.dir) else {
            return;
        };
        if !event.name.is_empty() && !event.is_dir && event.what != Happened::Closed {
            let path = dir.path.join(&event.name);
            self.tree.forget_file(&path);
        }
        self.known(event);
    }

    /// Events were lost: everything may have changed, and there may be directories that are not watched.
    pub(super) fn lost(&mut self) {
        tracing::warn!(
            "events of watched files were lost; every job that watches files reacts once"
        );
        self.waiting.clear();
        self.tree.forget_files();
        let now = now().boot;
        let set = self.jobs.iter_mut().filter(|(_, job)| job.is_set);
        let ids: Vec<JobId> = set
            .map(|(id, job)| {
                job.pending.certain(now);
                *id
            })
            .collect();
        if !ids.is_empty() {
            self.starts.push(Start::Paths(ids));
        }
    }

    /// Handles an event of a directory that is known.
    fn known(&mut self, event: &Waiting) {
        let Some(dir) = self.tree.get(event.dir) else {
            return;
        };
        let path = dir.path.clone();
        match event.what {
            Happened::Ended => return self.left(&path),
            // A directory that moved has been found at its new path.
            Happened::Left if path.symlink_metadata().is_ok() => return,
            Happened::Left => return self.left(&path),
            _ if event.name.is_empty() => return,
            _ => {}
        }
        let full = path.join(&event.name);
        if event.is_dir {
            return self.directory(event.dir, &full, event.what);
        }
        let touch = Touch {
            is_new: event.what == Happened::Appeared,
            is_weak: event.what == Happened::Closed,
            is_open: event.what == Happened::Written,
        };
        let is_file = |interest: &Interest| *interest == Interest::File(event.name.clone());
        let named = dir
            .interests
            .iter()
            .filter(|(interest, _)| is_file(interest));
        let mut ids: Vec<JobId> = named.map(|(_, id)| *id).collect();
        let takes = |id: &&JobId| {
            let job = self.jobs.get(id);
            job.is_some_and(|job| job.filter.takes(&full, &dir.rules))
        };
        ids.extend(dir.whole.iter().filter(takes));
        let followers = if event.name == ".gitignore" {
            self.followers(dir)
        } else {
            Vec::new()
        };
        if !followers.is_empty() {
            self.starts.push(Start::Rules(followers));
        }
        self.awaited(event.dir, &event.name, event.what);
        for id in ids {
            self.change(id, &full, touch);
        }
    }

    /// The jobs for which the rules of git in a directory hold.
    fn followers(&self, dir: &Dir) -> Vec<JobId> {
        let above = dir.interests.iter();
        let above = above.filter(|(interest, _)| *interest == Interest::Rules);
        let ids = above.map(|(_, id)| id).chain(&dir.whole);
        let follows = |id: &&JobId| {
            let job = self.jobs.get(id);
            job.is_some_and(|job| job.filter.has_gitignore())
        };
        ids.filter(follows).copied().collect()
    }

    pub(super) fn change(&mut self, id: JobId, path: &Path, touch: Touch) {
        let Some(job) = self.jobs.get_mut(&id) else {
            return;
        };
        job.pending.change(path, touch, now().boot);
        if job.pending.is_certain() {
            // It is not looked at, so nothing is known of it any more.
            self.tree.forget_file(path);
        }
    }

    /// Something happened to a directory in a watched one.
    fn directory(&mut self, parent: DirId, path: &Path, what: Happened) {
        let Some(dir) = self.tree.get(parent) else {
            return;
        };
        match what {
            Happened::Appeared => {
                let enters = |id: &JobId| {
                    let job = self.jobs.get(id);
                    job.is_some_and(|job| job.filter.enters(path, &dir.rules))
                };
                let ids: Vec<JobId> = dir.whole.iter().copied().filter(enters).collect();
                if !ids.is_empty() {
                    let start = Start::Appeared(path.to_owned(), dir.rules.clone(), ids);
                    self.starts.push(start);
                }
                let name = path.file_name().unwrap_or_default().to_owned();
                self.awaited(parent, &name, what);
            }
            // Its files are not named.
            Happened::Moved => {
                let below = self.tree.below(path);
                let mut ids = BTreeSet::new();
                for dir in below.iter().filter_map(|dir| self.tree.get(*dir)) {
                    if dir.has_files() {
                        ids.extend(dir.whole.iter().copied());
                    }
                }
                for id in ids {
                    let touch = Touch {
                        is_new: false,
                        is_weak: false,
                        is_open: false,
                    };
                    self.change(id, path, touch);
                }
                self.left(path);
            }
            _ => {}
        }
    }

    /// A name has appeared in a directory in which jobs wait for one: their paths are looked at again.
    fn awaited(&mut self, dir: DirId, name: &OsStr, what: Happened) {
        let Some(found) = self.tree.get(dir).filter(|_| what == Happened::Appeared) else {
            return;
        };
        let interest = Interest::Awaits(name.to_owned());
        let ids = found.interests.iter().filter(|(own, _)| *own == interest);
        let ids: Vec<JobId> = ids.map(|(_, id)| *id).collect();
        let path = found.path.join(name);
        if ids.is_empty() {
            return;
        }
        for id in &ids {
            let job = self.jobs.get(id);
            let is_last = |own: &PathBuf| own.file_name() == Some(name);
            if job.is_some_and(|job| job.wanted.watch.paths.iter().any(is_last)) {
                let touch = Touch {
                    is_new: true,
                    is_weak: false,
                    is_open: false,
                };
                self.change(*id, &path, touch);
            }
        }
        self.starts.push(Start::Paths(ids));
    }

    /// A directory was removed or moved away, with all that is in it. Jobs that have named it wait for it.
    fn left(&mut self, path: &Path) {
        let below = self.tree.below(path);
        let mut ids = BTreeSet::new();
        for dir in below.iter().filter_map(|dir| self.tree.get(*dir)) {
            ids.extend(dir.interests.iter().map(|(_, id)| *id));
            let above = dir.path.parent().and_then(|above| self.tree.at(above));
            let is_named = |id: &&JobId| above.is_none_or(|above| !above.whole.contains(id));
            ids.extend(dir.whole.iter().filter(is_named).copied());
        }
        for dir in below {
            self.tree.remove(dir);
            self.leaving.insert(dir);
        }
        if !ids.is_empty() {
            self.starts.push(Start::Paths(ids.into_iter().collect()));
        }
    }
}
