//! Walks directories and watches them, in another thread.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git::{checkout, git_lock, rules_above, with_file};
use super::print::print;
use super::tree::{Interest, JobId};
use crate::engine::project::watching::Print;
use crate::project::filter::{Filter, GitRules};
use crate::sys::file_watch::{self, Adder, DirId};

/// Most directories of one job: 20,000. More are a mistake; a user has about 100,000 watches.
pub(crate) const MOST_DIRECTORIES: usize = 20_000;

/// Most bytes that a scan reads, to remember what files are: 64 MiB, which take less than a second.
pub(crate) const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A job, as a scan needs it.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    pub(super) id: JobId,
    pub(super) filter: Arc<Filter>,
    pub(super) paths: Vec<PathBuf>,
    /// How many directories are watched for it.
    pub(super) directories: usize,
}

/// What is to be walked.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// All paths of these jobs.
    Paths(Vec<JobId>),
    /// All paths of these jobs, because the rules of git have changed. What is not watched so far has not changed.
    Rules(Vec<JobId>),
    /// A directory that has appeared in a watched one with these rules, for these jobs.
    Appeared(PathBuf, GitRules, Vec<JobId>),
}

impl Start {
    pub(super) fn jobs(&self) -> &[JobId] {
        match self {
            Self::Paths(ids) | Self::Rules(ids) | Self::Appeared(_, _, ids) => ids,
        }
    }
}

/// A directory that is watched now.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) dir: DirId,
    pub(super) path: PathBuf,
    pub(super) rules: GitRules,
    pub(super) whole: Vec<JobId>,
    pub(super) interests: Vec<(Interest, JobId)>,
    /// The files in it that a job watches; `None`: not read.
    pub(super) files: Vec<(OsString, Option<Print>)>,
    /// Whether these are all of them.
    pub(super) is_known: bool,
    /// Whether its files have changed, if it was not watched before.
    pub(super) has_appeared: bool,
}

/// Why a job is not watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// The user has no watches left.
    NoWatches,
    /// It has too many directories.
    TooMany,
    /// It is `/`, with the files of all processes and of all devices.
    WholeSystem,
}

/// What a scan has found.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) found: Vec<Found>,
    pub(super) failed: BTreeMap<JobId, Failure>,
    /// The files by which git says that it is changing files, by the jobs whose repositories they are of.
    pub(super) git_locks: BTreeMap<JobId, PathBuf>,
}

/// Walks from `starts`.
pub(super) fn scan(adder: &Adder, jobs: Vec<Scanned>, starts: &[Start]) -> Outcome {
    let jobs = jobs.into_iter().map(|job| (job.id, job)).collect();
    let mut scan = Scan {
        adder,
        jobs,
        outcome: Outcome::default(),
        seen: BTreeMap::new(),
        bytes: 0,
        has_appeared: true,
    };
    for start in starts {
        match start {
            Start::Paths(ids) => scan.paths(ids),
            Start::Rules(ids) => {
                scan.has_appeared = false;
                scan.paths(ids);
                scan.has_appeared = true;
            }
            Start::Appeared(path, rules, ids) => scan.walk(path, rules, ids.clone()),
        }
    }
    scan.outcome
}

struct Scan<'a> {
    adder: &'a Adder,
    jobs: BTreeMap<JobId, Scanned>,
    outcome: Outcome,
    /// Places in `outcome.found`, by path.
    seen: BTreeMap<PathBuf, usize>,
    bytes: u64,
    has_appeared: bool,
}

impl Scan<'_> {
    /// Walks all paths of jobs. Jobs with a path in common are walked together.
    fn paths(&mut self, ids: &[JobId]) {
        let mut roots: BTreeMap<PathBuf, Vec<JobId>> = BTreeMap::new();
        for id in ids {
            let paths = self.jobs.get(id).map(|job| job.paths.clone());
            for path in paths.into_iter().flatten() {
                if let Some(lock) = path.ancestors().find_map(git_lock) {
                    self.outcome.git_locks.entry(*id).or_insert(lock);
                }
                if let Some(root) = self.root(&path, *id) {
                    roots.entry(root).or_default().push(*id);
                }
            }
        }
        for (root, ids) in roots {
            self.walk(&root, &rules_above(&root), ids.clone());
            self.rules_of(&root, &ids);
        }
    }

    /// Watches the files with the rules of git that are above a path.
    fn rules_of(&mut self, root: &Path, ids: &[JobId]) {
        let follows = |id: &&JobId| {
            let job = self.jobs.get(id);
            job.is_some_and(|job| job.filter.has_gitignore())
        };
        let ids: Vec<JobId> = ids.iter().filter(follows).copied().collect();
        let Some(top) = checkout(root) else { return };
        let above = root.ancestors().skip(1);
        for dir in above.take_while(|dir| dir.starts_with(top)) {
            for id in &ids {
                self.interested(dir, Interest::Rules, *id);
            }
        }
    }

    /// The directory to walk for a path of a job. A file and a path that does not exist are watched in their directory.
    fn root(&mut self, path: &Path, id: JobId) -> Option<PathBuf> {
        let Ok(real) = path.canonicalize() else {
            self.awaits(path, id);
            return None;
        };
        if real.parent().is_none() {
            self.outcome.failed.insert(id, Failure::WholeSystem);
            return None;
        }
        if real.is_dir() {
            return Some(real);
        }
        if let (Some(dir), Some(name)) = (real.parent(), real.file_name()) {
            let interest = Interest::File(name.to_owned());
            self.interested(dir, interest, id);
        }
        None
    }

    /// Watches the nearest directory above a path that does not exist.
    fn awaits(&mut self, path: &Path, id: JobId) {
        for dir in path.ancestors().skip(1) {
            let Ok(real) = dir.canonicalize() else {
                continue;
            };
            let next = path
                .strip_prefix(dir)
                .ok()
                .and_then(|rest| rest.iter().next());
            let Some(next) = next.filter(|_| real.is_dir()) else {
                return;
            };
            self.interested(&real, Interest::Awaits(next.to_owned()), id);
            // It may have been created before the directory was watched; then there is no event.
            if real.join(next).symlink_metadata().is_ok()
                && let Some(root) = self.root_after_all(path, id)
            {
                self.walk(&root, &rules_above(&root), vec![id]);
            }
            return;
        }
    }

    fn root_after_all(&mut self, path: &Path, id: JobId) -> Option<PathBuf> {
        // A link that leads nowhere stays as it is.
        path.canonicalize().ok()?;
        self.root(path, id)
    }

    fn interested(&mut self, dir: &Path, interest: Interest, id: JobId) {
        let Some(place) = self.watch(dir, &rules_above(dir), &[id]) else {
            return;
        };
        let print = match &interest {
            Interest::File(name) => Some((name.clone(), self.print(&dir.join(name)))),
            Interest::Awaits(_) | Interest::Rules => None,
        };
        if let Some(found) = self.outcome.found.get_mut(place) {
            found.interests.push((interest, id));
            found.files.extend(print);
        }
    }

    /// Watches a directory and those in it, as far as the jobs want them.
    fn walk(&mut self, root: &Path, rules: &GitRules, ids: Vec<JobId>) {
        let mut open = vec![(root.to_owned(), rules.clone(), ids)];
        while let Some((path, rules, mut ids)) = open.pop() {
            let walked = self
                .seen
                .get(&path)
                .and_then(|at| self.outcome.found.get(*at));
            // Another path of the job has led here.
            ids.retain(|id| {
                self.jobs.contains_key(id)
                    && !self.outcome.failed.contains_key(id)
                    && walked.is_none_or(|found| !found.whole.contains(id))
            });
            if ids.is_empty() {
                continue;
            }
            let Some(place) = self.watch(&path, &rules, &ids) else {
                continue;
            };
            self.count(&ids);
            let Ok(entries) = std::fs::read_dir(&path) else {
                continue;
            };
            let entries: Vec<_> = entries.flatten().collect();
            let has_rules = entries
                .iter()
                .any(|entry| entry.file_name() == ".gitignore");
            let rules = if has_rules {
                with_file(&rules, &path, &path.join(".gitignore"))
            } else {
                rules
            };
            let mut files = Vec::new();
            let mut is_known = true;
            for entry in entries {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    let enters = |id: &JobId| self.enters(*id, &path, &rules);
                    let ids: Vec<JobId> = ids.iter().copied().filter(enters).collect();
                    if !ids.is_empty() {
                        open.push((path, rules.clone(), ids));
                    }
                } else if ids.iter().any(|id| self.takes(*id, &path, &rules)) {
                    let print = self.print(&path);
                    is_known &= print.is_some();
                    files.push((entry.file_name(), print));
                }
            }
            if let Some(found) = self.outcome.found.get_mut(place) {
                found.rules = rules;
                found.files.extend(files);
                found.is_known &= is_known;
                found.whole.extend(ids);
            }
        }
    }

    fn enters(&self, id: JobId, path: &Path, rules: &GitRules) -> bool {
        let job = self.jobs.get(&id);
        job.is_some_and(|job| job.filter.enters(path, rules))
    }

    fn takes(&self, id: JobId, path: &Path, rules: &GitRules) -> bool {
        let job = self.jobs.get(&id);
        job.is_some_and(|job| job.filter.takes(path, rules))
    }

    /// Counts a directory for these jobs.
    fn count(&mut self, ids: &[JobId]) {
        for id in ids {
            if let Some(job) = self.jobs.get_mut(id) {
                job.directories += 1;
                if job.directories > MOST_DIRECTORIES {
                    self.outcome.failed.insert(*id, Failure::TooMany);
                }
            }
        }
    }

    /// Watches a directory; `None` if it is gone or cannot be read.
    fn watch(&mut self, path: &Path, rules: &GitRules, ids: &[JobId]) -> Option<usize> {
        if let Some(place) = self.seen.get(path) {
            return Some(*place);
        }
        let dir = match self.adder.add(path) {
            Ok(dir) => dir,
            Err(error) => {
                if file_watch::is_full(&error) {
                    let full = ids.iter().map(|id| (*id, Failure::NoWatches));
                    self.outcome.failed.extend(full);
                }
                return None;
            }
        };
        self.seen.insert(path.to_owned(), self.outcome.found.len());
        self.outcome.found.push(Found {
            dir,
            path: path.to_owned(),
            rules: rules.clone(),
            whole: Vec::new(),
            interests: Vec::new(),
            files: Vec::new(),
            is_known: true,
            has_appeared: self.has_appeared,
        });
        Some(self.outcome.found.len() - 1)
    }

    fn print(&mut self, path: &Path) -> Option<Print> {
        if self.bytes >= MOST_BYTES {
            return None;
        }
        let (print, bytes) = print(path)?;
        self.bytes += bytes;
        Some(print)
    }
}
