//! Notices with inotify(7) that a file in a directory, or the directory itself, is removed.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

/// Watches directories. Readable once a file was removed or renamed in one of them.
#[derive(Debug)]
pub struct DirWatch {
    fd: OwnedFd,
}

impl DirWatch {
    /// Creates a watch without directories. Fails if the user has no inotify instance left
    /// (`fs.inotify.max_user_instances`).
    pub fn new() -> io::Result<Self> {
        let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
        Ok(Self {
            fd: inotify::init(flags)?,
        })
    }

    /// Also watches `dir`; does nothing if it is already watched.
    pub fn add(&self, dir: &Path) -> io::Result<()> {
        let removed = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        let gone = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        inotify::add_watch(&self.fd, dir, removed | gone | WatchFlags::ONLYDIR)?;
        Ok(())
    }

    /// Discards pending events, so that the next change is reported again.
    pub fn clear(&self) {
        let mut room = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.fd, &mut room);
        while events.next().is_ok() {}
    }
}

impl AsFd for DirWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
