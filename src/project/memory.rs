//! A file system in memory, for tests.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{FileKind, Files, Look};

/// The user whose files are trusted in tests.
pub(crate) const ME: u32 = 1000;

/// Files by absolute path. Their directories exist.
#[derive(Default)]
pub(crate) struct Memory {
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Paths whose owner, group or mode is not the usual one.
    looks: BTreeMap<PathBuf, (u32, u32, u32)>,
    links: BTreeMap<PathBuf, PathBuf>,
    /// Groups with no other member.
    pub(crate) private: Vec<u32>,
}

impl Memory {
    /// A file system with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let mut memory = Self::default();
        for (path, text) in files {
            memory.put(path, text.as_bytes());
        }
        memory
    }

    /// Writes a file.
    pub(crate) fn put(&mut self, path: &str, content: &[u8]) {
        self.files.insert(PathBuf::from(path), content.to_vec());
    }

    /// Sets owner, group and mode of a path.
    pub(crate) fn own(&mut self, path: &str, uid: u32, gid: u32, mode: u32) {
        self.looks.insert(PathBuf::from(path), (uid, gid, mode));
    }

    /// Makes a link to a file or directory.
    pub(crate) fn link(&mut self, from: &str, to: &str) {
        self.links.insert(PathBuf::from(from), PathBuf::from(to));
    }

    /// The path with links and dots resolved. The longest link wins.
    fn resolved(&self, path: &Path) -> PathBuf {
        let mut path = super::names::without_dots(path);
        for _ in 0..8 {
            let link = path
                .ancestors()
                .find_map(|dir| self.links.get(dir).map(|to| (dir.to_owned(), to)));
            let Some((from, to)) = link else { break };
            let rest = path.strip_prefix(from).unwrap_or(Path::new(""));
            path = if rest.as_os_str().is_empty() {
                to.clone()
            } else {
                to.join(rest)
            };
        }
        path
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.files
            .keys()
            .any(|file| file != path && file.starts_with(path))
    }
}

impl Files for Memory {
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let content = self.files.get(&self.resolved(path));
        let content = content.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        if content.len() as u64 > max {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        Ok(content.clone())
    }

    fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        let path = self.resolved(path);
        let kind = if self.files.contains_key(&path) {
            FileKind::File
        } else if self.is_dir(&path) {
            FileKind::Dir
        } else {
            return Ok(None);
        };
        let usual = (ME, ME, 0o755);
        let (uid, gid, mode) = self.looks.get(&path).copied().unwrap_or(usual);
        Ok(Some(Look {
            kind,
            uid,
            gid,
            mode,
            device: 1,
            inode: path.as_os_str().len() as u64,
        }))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let path = self.resolved(path);
        if self.files.contains_key(&path) || self.is_dir(&path) {
            Ok(path)
        } else {
            Err(io::Error::from(io::ErrorKind::NotFound))
        }
    }

    fn names(&self, dir: &Path) -> io::Result<Vec<String>> {
        let dir = self.resolved(dir);
        let below = self.files.keys().filter_map(|file| {
            let rest = file.strip_prefix(&dir).ok()?;
            let first = rest.components().next()?;
            first.as_os_str().to_str().map(str::to_owned)
        });
        let mut names: Vec<String> = below.collect();
        names.dedup();
        Ok(names)
    }

    fn is_mine(&self, look: &Look) -> bool {
        look.uid == ME
    }

    fn group_is_private(&self, gid: u32) -> bool {
        self.private.contains(&gid)
    }
}
