//! What this layer asks of a file system.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file system, as the reader of project files needs it. The daemon implements it on the real one.
pub trait Files {
    /// Content of a file, at most `max` bytes.
    ///
    /// More is an error of the kind [`io::ErrorKind::FileTooLarge`]. The implementation must notice a file that
    /// changes while it is read; that is an error of the kind [`io::ErrorKind::Interrupted`].
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>>;

    /// Kind, owner, mode and identity of a path. Follows links. `None` if it does not exist.
    fn look(&self, path: &Path) -> io::Result<Option<Look>>;

    /// The path without links and dots.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// Names in a directory, in any order. Names that are not UTF-8 are left out.
    fn names(&self, dir: &Path) -> io::Result<Vec<String>>;

    /// Whether the user whose files are trusted owns it. Files of root are trusted anyway.
    fn is_mine(&self, look: &Look) -> bool;

    /// Whether a group has no other member than that user. Private groups are common: with a umask of 002 they
    /// make every file writable by a group of one.
    fn group_is_private(&self, gid: u32) -> bool;
}

/// What a path is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Its kind.
    pub kind: FileKind,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The permission bits, with the sticky bit.
    pub mode: u32,
    /// The device, which together with `inode` identifies a directory that has moved.
    pub device: u64,
    /// The inode.
    pub inode: u64,
}

impl From<&Metadata> for Look {
    fn from(meta: &Metadata) -> Self {
        Self {
            kind: match meta.file_type() {
                kind if kind.is_file() => FileKind::File,
                kind if kind.is_dir() => FileKind::Dir,
                _ => FileKind::Other,
            },
            uid: meta.uid(),
            gid: meta.gid(),
            mode: meta.mode(),
            device: meta.dev(),
            inode: meta.ino(),
        }
    }
}

/// What was found at a path; nothing if there is nothing there.
pub fn found(meta: io::Result<Metadata>) -> io::Result<Option<Look>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match meta {
        Ok(meta) => Ok(Some(Look::from(&meta))),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The kind of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A device, a pipe or a socket.
    Other,
}
