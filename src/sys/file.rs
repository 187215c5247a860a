//! Files that only their owner can read: small files that are written atomically, and files that are
//! appended to. None is opened through a symbolic link, and what is no regular file is refused: to open a FIFO
//! would wait for its other end for ever.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::protocol::SessionId;

/// The umask of this process; `None` if the system does not report it.
pub fn umask() -> Option<u32> {
    // umask(2) would change it for all threads.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// Replaces the file at `path` atomically: writes `bytes` to a temporary file beside it and renames that.
/// The file has mode 0600.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = temporary(path);
    let written = write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// Like [`replace`], but lets the kernel write the file to disk later. ext4 writes out a file that is
/// renamed over another one before the call returns, which takes longer than everything else here.
pub fn replace_lazily(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = temporary(path);
    let written = write(&beside, bytes).and_then(|()| {
        let exchanged = renameat_with(CWD, &beside, CWD, path, RenameFlags::EXCHANGE);
        match exchanged {
            Ok(()) => std::fs::remove_file(&beside),
            // There is no file yet, or the file system cannot exchange names.
            Err(_) => std::fs::rename(&beside, path),
        }
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn temporary(path: &Path) -> PathBuf {
    path.with_extension(format!("{}.tmp", std::process::id()))
}

/// Whether a file of this name was left by a process that was killed while it replaced the file `of` beside it.
pub fn is_temporary(name: &str, of: &str) -> bool {
    let stem = of.rsplit_once('.').map_or(of, |(stem, _)| stem);
    let pid = name
        .strip_prefix(stem)
        .and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".tmp"));
    pid.is_some_and(|pid| pid.parse::<u32>().is_ok())
}

/// A file that appears at its path once it is complete. Until then it has a temporary name beside it; if
/// dropped unfinished, it is removed. It has mode 0600.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    beside: PathBuf,
    file: File,
}

impl Draft {
    /// Begins a file for `path`. Only a regular file of the same user may be there already: no directory,
    /// no symbolic link, no file of another user.
    pub fn new(path: &Path) -> io::Result<Self> {
        let refused = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        match std::fs::symlink_metadata(path) {
            Ok(meta) if meta.is_symlink() => return refused("it is a symbolic link"),
            Ok(meta) if !meta.is_file() => return refused("it is not a regular file"),
            Ok(meta) if meta.uid() != geteuid().as_raw() => {
                return refused("it belongs to another user");
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let Some(name) = path.file_name() else {
            return refused("it is not a regular file");
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

    /// Appends bytes.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.file).write_all(bytes)
    }

    /// Moves the file to its path.
    pub fn finish(&self) -> io::Result<()> {
        std::fs::rename(&self.beside, &self.path)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Fails after `finish`, because the name is gone.
        let _ = std::fs::remove_file(&self.beside);
    }
}

/// Bytes for which memory is reserved without checking the file's length.
const AT_A_TIME: usize = 4096;

/// Reads up to `want` bytes at offset `inside` of the file and appends them. Returns their number.
pub fn read_at(file: &File, inside: u64, want: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let want = match want {
        ..=AT_A_TIME => want,
        // Reserve no more than the file has, however much is requested.
        _ => {
            let there = file.metadata().map_or(0, |meta| meta.len());
            let there = usize::try_from(there.saturating_sub(inside));
            want.min(there.unwrap_or(usize::MAX))
        }
    };
    let before = bytes.len();
    bytes.resize(before + want, 0);
    let read = file.read_at(&mut bytes[before..], inside);
    bytes.truncate(before + *read.as_ref().unwrap_or(&0));
    read
}

/// Tells versions of a file apart, whether it is written again or replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    inode: u64,
    /// Time of the last change: seconds and nanoseconds.
    changed: (i64, i64),
    length: u64,
}

/// Stamp of the file at `path`, following symbolic links; `None` if there is none.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let meta = std::fs::metadata(path).ok()?;
    Some(Stamp {
        inode: meta.ino(),
        changed: (meta.mtime(), meta.mtime_nsec()),
        length: meta.len(),
    })
}

/// The identity of a file, whatever its name: device and inode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// Identity of the file at `path`, without following a symbolic link; `None` if there is none.
pub fn identity(path: &Path) -> Option<Identity> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    Some(Identity {
        device: meta.dev(),
        inode: meta.ino(),
    })
}

/// Identity of the file at `path`, following symbolic links.
pub fn identity_behind(path: &Path) -> Option<Identity> {
    let meta = std::fs::metadata(path).ok()?;
    Some(Identity {
        device: meta.dev(),
        inode: meta.ino(),
    })
}

/// Identity of the file behind a descriptor.
pub fn identity_of(fd: BorrowedFd<'_>) -> Option<Identity> {
    let stat = rustix::fs::fstat(fd).ok()?;
    Some(Identity {
        device: stat.st_dev,
        inode: stat.st_ino,
    })
}

/// Reads a whole file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads at most `count` bytes from the end of a file.
pub fn read_end(path: &Path, count: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let from = file.metadata()?.len().saturating_sub(count);
    let mut bytes = Vec::new();
    (&file).seek(SeekFrom::Start(from))?;
    (&file).take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How often [`read_patiently`] tries, and its pause between two attempts.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Reads a whole file whose loss would be felt. An error that often passes, such as a lack of descriptors, gets some
/// more attempts.
pub fn read_patiently(path: &Path) -> io::Result<Vec<u8>> {
    let passes = |error: &io::Error| {
        let known = error.raw_os_error().map(Errno::from_raw_os_error);
        let passing = [Errno::NFILE, Errno::MFILE, Errno::NOMEM, Errno::IO];
        known.is_some_and(|known| passing.contains(&known))
    };
    let mut outcome = read(path);
    for _ in 1..ATTEMPTS {
        match &outcome {
            Err(error) if passes(error) => std::thread::sleep(PAUSE),
            _ => break,
        }
        outcome = read(path);
    }
    outcome
}

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a file for appending, and creates it if need be (mode 0600).
pub fn append(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().append(true).create(true), path)
}

/// Opens a file with these options; a new one has mode 0600.
///
/// # Errors
///
/// Also for a symbolic link, and with `InvalidInput` for what is no regular file.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Without NONBLOCK, opening a FIFO blocks. It has no effect on a regular file.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ))
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open_with(
        OpenOptions::new().write(true).truncate(true).create(true),
        path,
    )?
    .write_all(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn replace_leaves_one_private_file() {
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
    fn replace_lazily_leaves_one_private_file() {
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
    fn a_draft_appears_complete_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.cast");
        std::fs::write(&path, "old").unwrap();
        let draft = Draft::new(&path).unwrap();
        draft.write(b"half").unwrap();
        drop(draft);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        let draft = Draft::new(&path).unwrap();
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
            (dir.path(), "not a regular file"),
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

    #[test]
    fn a_fifo_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(CWD, &fifo, mode).unwrap();
        assert!(read(&fifo).is_err() && append(&fifo).is_err());
        // With somebody at its other end, too.
        let _other = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&fifo)
            .unwrap();
        for error in [read(&fifo).unwrap_err(), append(&fifo).unwrap_err()] {
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
        replace(&fifo, b"text").unwrap();
        assert_eq!(read(&fifo).unwrap(), b"text");
    }
}
