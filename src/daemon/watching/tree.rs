//! The watched directories: who watches each, and what is remembered of its files.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use super::scan::Found;
use crate::engine::project::watching::{Before, Print};
use crate::project::filter::GitRules;
use crate::sys::file_watch::DirId;

/// Most files that are remembered, for all jobs: they take about 3 MB.
pub(super) const MOST_FILES: usize = 50_000;

/// Number of a job in this room.
pub(super) type JobId = u32;

/// What a job wants to know about a name in a directory, besides what its globs say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Interest {
    /// It watches this file.
    File(OsString),
    /// A path that it watches will begin with this name, and does not exist yet.
    Awaits(OsString),
    /// The rules of git in it hold for a path that it watches.
    Rules,
}

/// A watched directory.
#[derive(Debug)]
pub(super) struct Dir {
    pub(super) path: PathBuf,
    /// The rules of git that hold in it.
    pub(super) rules: GitRules,
    /// The jobs that watch everything in it.
    pub(super) whole: Vec<JobId>,
    pub(super) interests: Vec<(Interest, JobId)>,
    /// What is remembered of its files, by hashes of their names.
    files: HashMap<u64, Entry>,
    /// Whether a file that is not remembered did not exist.
    is_known: bool,
}

/// What is remembered of a file.
#[derive(Clone, Copy, Debug)]
struct Entry {
    state: Before,
    /// Number of its last change.
    seq: u64,
}

/// All watched directories.
#[derive(Default)]
pub(super) struct Tree {
    dirs: HashMap<DirId, Dir>,
    by_path: BTreeMap<PathBuf, DirId>,
    /// Number of files that are remembered.
    files: usize,
    /// Number of the last change.
    seq: u64,
}

impl Dir {
    fn is_idle(&self) -> bool {
        self.whole.is_empty() && self.interests.is_empty()
    }

    /// Whether anything is known to be in it.
    pub(super) fn has_files(&self) -> bool {
        !self.is_known || !self.files.is_empty()
    }
}

impl Tree {
    pub(super) fn get(&self, dir: DirId) -> Option<&Dir> {
        self.dirs.get(&dir)
    }

    pub(super) fn at(&self, path: &Path) -> Option<&Dir> {
        self.by_path.get(path).and_then(|dir| self.dirs.get(dir))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.dirs.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Dir> {
        self.dirs.values()
    }

    /// Number of the last change.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Adds what a scan has found. Returns false if the directory was watched already. Then only files of which
    /// nothing is remembered are added, as changed for those who have watched it so far.
    pub(super) fn add(&mut self, found: &Found) -> bool {
        if let Some(old) = self.by_path.insert(found.path.clone(), found.dir)
            && old != found.dir
        {
            // Another directory with the same name.
            self.dirs
                .remove(&old)
                .iter()
                .for_each(|old| self.files -= old.files.len());
        }
        let is_new = !self.dirs.contains_key(&found.dir);
        let dir = self.dirs.entry(found.dir).or_insert_with(|| Dir {
            path: found.path.clone(),
            rules: found.rules.clone(),
            whole: Vec::new(),
            interests: Vec::new(),
            files: HashMap::new(),
            is_known: found.is_known,
        });
        if dir.path != found.path {
            // It was moved.
            self.by_path.remove(&dir.path);
            dir.path.clone_from(&found.path);
        }
        dir.rules = found.rules.clone();
        dir.is_known &= found.is_known;
        for id in &found.whole {
            if !dir.whole.contains(id) {
                dir.whole.push(*id);
            }
        }
        for interest in &found.interests {
            if !dir.interests.contains(interest) {
                dir.interests.push(interest.clone());
            }
        }
        self.seq += 1;
        for (name, print) in &found.files {
            let state = print.map_or(Before::Unknown, Before::Was);
            let key = hash(name);
            if dir.files.contains_key(&key) {
                continue;
            }
            if self.files >= MOST_FILES {
                dir.is_known = false;
                break;
            }
            self.files += 1;
            dir.files.insert(
                key,
                Entry {
                    state,
                    seq: self.seq,
                },
            );
        }
        is_new
    }

    /// Forgets a directory that is not watched any more.
    pub(super) fn remove(&mut self, dir: DirId) -> Option<Dir> {
        let removed = self.dirs.remove(&dir)?;
        self.files -= removed.files.len();
        if self.by_path.get(&removed.path) == Some(&dir) {
            self.by_path.remove(&removed.path);
        }
        Some(removed)
    }

    /// The directories at and below a path.
    pub(super) fn below(&self, path: &Path) -> Vec<DirId> {
        let from = self
            .by_path
            .range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        let below = from.take_while(|(other, _)| other.starts_with(path));
        below.map(|(_, dir)| *dir).collect()
    }

    /// Takes jobs out of some directories, or of all. Returns the directories that nobody watches any more; they are
    /// forgotten.
    pub(super) fn leave(
        &mut self,
        among: Option<&[DirId]>,
        leaves: impl Fn(JobId, &Path) -> bool,
    ) -> Vec<DirId> {
        let all: Vec<DirId> = match among {
            Some(among) => among.to_vec(),
            None => self.dirs.keys().copied().collect(),
        };
        let mut idle = Vec::new();
        for id in all {
            let Some(dir) = self.dirs.get_mut(&id) else {
                continue;
            };
            let path = dir.path.clone();
            dir.whole.retain(|job| !leaves(*job, &path));
            dir.interests.retain(|(_, job)| !leaves(*job, &path));
            if dir.is_idle() {
                self.remove(id);
                idle.push(id);
            }
        }
        idle
    }

    /// Forgets what any file was, because events were lost.
    pub(super) fn forget_files(&mut self) {
        for dir in self.dirs.values_mut() {
            dir.files.clear();
            dir.is_known = false;
        }
        self.files = 0;
    }

    /// Forgets what a file was, because it has changed and is not looked at.
    pub(super) fn forget_file(&mut self, path: &Path) {
        if let Some((dir, key)) = self.place(path) {
            self.set(
                dir,
                key,
                Entry {
                    state: Before::Unknown,
                    seq: 0,
                },
            );
        }
    }

    /// What is remembered of a file, and whether it has changed after change number `after`.
    pub(super) fn before(&self, path: &Path, after: u64) -> (Before, bool) {
        let found = self.place(path).and_then(|(dir, key)| {
            let dir = self.dirs.get(&dir)?;
            Some((dir.files.get(&key), dir.is_known))
        });
        match found {
            Some((Some(entry), _)) => (entry.state, entry.seq > after),
            Some((None, true)) => (Before::Absent, false),
            _ => (Before::Unknown, false),
        }
    }

    /// Remembers a file that has changed.
    pub(super) fn changed(&mut self, path: &Path, print: Option<Print>) {
        self.seq += 1;
        self.remember(path, print, self.seq);
    }

    /// Remembers a file that was not known, and has not changed.
    pub(super) fn learned(&mut self, path: &Path, print: Option<Print>) {
        self.remember(path, print, 0);
    }

    fn remember(&mut self, path: &Path, print: Option<Print>, seq: u64) {
        if let Some((dir, key)) = self.place(path) {
            let state = print.map_or(Before::Absent, Before::Was);
            self.set(dir, key, Entry { state, seq });
        }
    }

    fn place(&self, path: &Path) -> Option<(DirId, u64)> {
        let dir = self.by_path.get(path.parent()?)?;
        Some((*dir, hash(path.file_name()?)))
    }

    fn set(&mut self, dir: DirId, key: u64, entry: Entry) {
        let Some(dir) = self.dirs.get_mut(&dir) else {
            return;
        };
        if let Some(known) = dir.files.get_mut(&key) {
            *known = entry;
        } else if self.files < MOST_FILES {
            self.files += 1;
            dir.files.insert(key, entry);
        } else {
            dir.is_known = false;
        }
    }
}

fn hash(name: &OsStr) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ONE: Print = Print::Content(1, 1);
    const TWO: Print = Print::Content(1, 2);

    fn found(dir: DirId, path: &str, files: &[(&str, Print)]) -> Found {
        let files = files
            .iter()
            .map(|(name, print)| ((*name).into(), Some(*print)));
        Found {
            dir,
            path: path.into(),
            rules: GitRules::default(),
            whole: vec![1],
            interests: Vec::new(),
            files: files.collect(),
            is_known: true,
            has_appeared: true,
        }
    }

    #[test]
    fn each_job_sees_each_change_once() {
        let mut tree = Tree::default();
        assert!(tree.add(&found(7, "/p", &[("a", ONE)])));
        let (file, before) = (Path::new("/p/a"), tree.seq());
        assert_eq!(tree.before(file, before), (Before::Was(ONE), false));
        assert_eq!(tree.before(Path::new("/p/b"), 0), (Before::Absent, false));
        assert_eq!(tree.before(Path::new("/x/b"), 0), (Before::Unknown, false));
        // One job looks, and then another one.
        tree.changed(file, Some(TWO));
        assert_eq!(tree.before(file, before), (Before::Was(TWO), true));
        assert_eq!(tree.before(file, tree.seq()), (Before::Was(TWO), false));
        tree.changed(file, None);
        assert_eq!(tree.before(file, 9), (Before::Absent, false));
        tree.forget_files();
        assert_eq!(tree.before(file, 0), (Before::Unknown, false));
    }

    #[test]
    fn a_directory_is_watched_as_long_as_somebody_does() {
        let mut tree = Tree::default();
        tree.add(&found(1, "/p", &[("a", ONE)]));
        tree.add(&found(2, "/p/src", &[("b", ONE)]));
        let other = Found {
            whole: vec![2],
            ..found(2, "/p/src", &[("c", ONE)])
        };
        assert!(!tree.add(&other));
        assert_eq!(tree.below(Path::new("/p")), [1, 2]);
        assert_eq!(tree.leave(None, |job, _| job == 1), [1]);
        assert!(tree.at(Path::new("/p")).is_none() && tree.get(2).is_some());
        assert_eq!(
            tree.leave(Some(&[2]), |_, path| path == Path::new("/p/src")),
            [2]
        );
        assert!(tree.is_empty() && tree.files == 0 && tree.by_path.is_empty());
    }

    #[test]
    fn a_directory_that_moved_has_its_new_path_only() {
        let mut tree = Tree::default();
        tree.add(&found(1, "/p/old", &[]));
        tree.add(&found(1, "/p/new", &[]));
        assert!(tree.at(Path::new("/p/old")).is_none());
        assert_eq!(
            tree.at(Path::new("/p/new")).unwrap().path,
            Path::new("/p/new")
        );
        // Another one takes the name.
        tree.add(&found(2, "/p/new", &[]));
        assert!(tree.get(1).is_none() && tree.get(2).is_some());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut tree = Tree::default();
        for dir in 0..6 {
            let names: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
            let files: Vec<_> = names.iter().map(|name| (name.as_str(), ONE)).collect();
            tree.add(&found(dir, &format!("/{dir}"), &files));
        }
        assert_eq!(tree.files, MOST_FILES);
        assert_eq!(tree.before(Path::new("/5/1"), 0), (Before::Unknown, false));
    }
}
