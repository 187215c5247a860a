//! Notices that something in a directory, or the directory itself, goes away: inotify(7).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

/// Watches some directories. Readable as soon as something was removed or renamed in one of them.
#[derive(Debug)]
pub struct DirWatch {
    fd: OwnedFd,
}

impl DirWatch {
    /// A watch of nothing yet. Users have few of them (`fs.inotify.max_user_instances`), so this can fail.
    pub fn new() -> io::Result<Self> {
        let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
        Ok(Self {
            fd: inotify::init(flags)?,
        })
    }

    /// Also watches `dir`; a directory that is watched already is watched once.
    pub fn add(&self, dir: &Path) -> io::Result<()> {
        let removed = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        let gone = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        inotify::add_watch(&self.fd, dir, removed | gone | WatchFlags::ONLYDIR)?;
        Ok(())
    }

    /// Forgets what was noticed, so that the next change is noticed again.
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
