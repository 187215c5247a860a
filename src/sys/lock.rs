//! Locks between processes, which the kernel frees when their holder dies.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};

/// A held `flock(2)`; dropped, it is free.
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

    /// A lock that came through `exec` with its file.
    pub fn held(file: OwnedFd) -> Self {
        Self { file: file.into() }
    }

    /// Takes the lock if it is free.
    pub fn attempt(path: &Path) -> io::Result<Option<Self>> {
        let file = open_lock_file(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { file })),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Leaves a note in the file, for those who find it locked.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        // In this order, so that a reader never finds nothing. What is left of a longer
        // note before is in a line of its own for that moment.
        self.file.write_all_at(format!("{text}\n").as_bytes(), 0)?;
        self.file.set_len(text.len() as u64 + 1)
    }
}

/// What the holder of a lock has noted.
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
