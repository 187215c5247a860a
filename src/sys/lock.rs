//! Locks between processes. The kernel releases them when their holder dies.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};

/// A held `flock(2)`; dropping it releases it.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Waits for the lock.
    pub fn wait(path: &Path) -> io::Result<Self> {
        let file = open_lock_file(path)?;
        rustix::io::retry_on_intr(|| flock(&file, FlockOperation::LockExclusive))?;
        Ok(Self { file })
    }

    /// A lock that was inherited through `exec` with its file.
    pub fn held(file: OwnedFd) -> Self {
        Self { file: file.into() }
    }

    /// Takes the lock if it is free; `None` if another process holds it.
    pub fn attempt(path: &Path) -> io::Result<Option<Self>> {
        let file = open_lock_file(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { file })),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a note into the file, for processes that find it locked.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        // Write before truncating, so that a reader never finds an empty file. For a moment, the rest of a
        // longer earlier note is in a line of its own.
        self.file.write_all_at(format!("{text}\n").as_bytes(), 0)?;
        self.file.set_len(text.len() as u64 + 1)
    }
}

/// The note in the lock file at `path`; `None` if the file cannot be read.
pub fn holder(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

impl AsFd for Lock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn open_lock_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(open(path, flags, Mode::RUSR | Mode::WUSR)?))
}
