//! Files for their owner alone: small ones that are there whole or not at all,
//! and such as only grow. None is reached through a link that somebody laid.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::process::geteuid;

use crate::protocol::SessionId;

/// The umask of this process; none where the system does not tell.
pub fn umask() -> Option<u32> {
    // Asking umask(2) would change it, for all threads.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// Writes `bytes` beside `path` and renames, so that a reader finds all of it or
/// what was there before. The file is for its owner alone (0600).
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// As [`replace`], but in the kernel's own time on its way to the disk. A file that is renamed over another one is
/// written out by ext4 before the call returns, which takes longer than all the rest of it.
pub fn replace_lazily(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = write(&beside, bytes).and_then(|()| {
        let exchanged = renameat_with(CWD, &beside, CWD, path, RenameFlags::EXCHANGE);
        match exchanged {
            Ok(()) => std::fs::remove_file(&beside),
            // There is none yet, or the file system cannot do that.
            Err(_) => std::fs::rename(&beside, path),
        }
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// A file that takes its place when it is whole. Until then it lies beside it under another name; dropped
/// unfinished, it is gone. It is for its owner alone (0600).
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    beside: PathBuf,
    file: File,
}

impl Draft {
    /// Begins a file that will be at `path`, where there may be a file of one's own or nothing: no directory, no
    /// symbolic link, nothing of somebody else's.
    pub fn new(path: &Path) -> io::Result<Self> {
        let refused = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        match std::fs::symlink_metadata(path) {
            Ok(meta) if meta.is_symlink() => return refused("it is a symbolic link"),
            Ok(meta) if !meta.is_file() => return refused("it is no regular file"),
            Ok(meta) if meta.uid() != geteuid().as_raw() => {
                return refused("it belongs to somebody else");
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let Some(name) = path.file_name() else {
            return refused("it is no regular file");
        };
        let name = format!(".{}.{}.tmp", name.to_string_lossy(), SessionId::fresh());
        let beside = path.with_file_name(name);
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&beside)?;
        Ok(Self {
            path: path.to_owned(),
            beside,
            file,
        })
    }

    /// Adds to it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Puts it in its place.
    pub fn finish(self) -> io::Result<()> {
        std::fs::rename(&self.beside, &self.path)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After `finish` there is nothing by that name.
        let _ = std::fs::remove_file(&self.beside);
    }
}

/// What makes a file that one file, whatever its name: device and inode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity(u64, u64);

/// The file at `path`, links not followed; `None` if there is none.
pub fn identity(path: &Path) -> Option<Identity> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    Some(Identity(meta.dev(), meta.ino()))
}

/// The file at the end of whatever links `path` is.
pub fn identity_behind(path: &Path) -> Option<Identity> {
    let meta = std::fs::metadata(path).ok()?;
    Some(Identity(meta.dev(), meta.ino()))
}

/// The file behind a descriptor.
pub fn identity_of(fd: BorrowedFd<'_>) -> Option<Identity> {
    let stat = rustix::fs::fstat(fd).ok()?;
    Some(Identity(stat.st_dev, stat.st_ino))
}

/// Opens a file to add to, making it if need be (0600). A symbolic link in its
/// place is an error.
pub fn append(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().append(true)).open(path)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private(OpenOptions::new().write(true).truncate(true))
        .open(path)?
        .write_all(bytes)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
        .create(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_replaced_whole_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("meta.json");
        replace(&path, b"longer text").unwrap();
        replace(&path, b"short").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(replace(&dir.path().join("no/where"), b"x").is_err());
    }

    #[test]
    fn replaced_lazily_it_is_there_and_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("meta.json");
        for text in ["first", "second, longer", "3"] {
            replace_lazily(&path, text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        }
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(replace_lazily(&dir.path().join("no/where"), b"x").is_err());
    }

    #[test]
    fn a_draft_is_there_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.cast");
        std::fs::write(&path, "old").unwrap();
        let mut draft = Draft::new(&path).unwrap();
        draft.write(b"half").unwrap();
        drop(draft);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        let mut draft = Draft::new(&path).unwrap();
        draft.write(b"new").unwrap();
        draft.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for (path, why) in [
            (link.as_path(), "symbolic link"),
            (dir.path(), "no regular file"),
        ] {
            let error = Draft::new(path).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
        assert!(Draft::new(&dir.path().join("no/where")).is_err());
    }

    #[test]
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (link, aim) = (dir.path().join("link"), dir.path().join("aim"));
        std::fs::write(&aim, "mine").unwrap();
        std::os::unix::fs::symlink(&aim, &link).unwrap();
        assert!(append(&link).is_err());
        replace(&link, b"new").unwrap();
        assert_eq!(std::fs::read(&aim).unwrap(), b"mine");
    }
}
