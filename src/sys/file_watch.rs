//! Changes of files in directories, with inotify(7), for the daemon's event loop.
//!
//! Directories are watched, not files: one watch reports every file in a directory, also one that an editor puts in
//! the place of another. Each user has a number of watches (`fs.inotify.max_user_watches`); [`is_full`] knows the
//! error.

use std::io;
use std::path::Path;

pub use backend::{Adder, FileWatch};

/// Identifies a watched directory. Numbers are not used again.
pub type DirId = i32;

/// Something that happened in a watched directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happened {
    /// A file or directory was created, or moved into it.
    Appeared,
    /// A file or directory was removed.
    Removed,
    /// A file or directory was moved out of it.
    Moved,
    /// A file was written to.
    Written,
    /// A file that was open for writing was closed.
    Closed,
    /// The directory itself was removed or moved, or its file system was unmounted.
    Left,
    /// The directory is not watched any more.
    Ended,
}

/// One event.
#[derive(Debug)]
pub enum Event<'a> {
    /// In a directory.
    In {
        /// The directory.
        dir: DirId,
        /// The name of the file in it; empty if it is about the directory itself.
        name: &'a std::ffi::OsStr,
        /// What happened.
        what: Happened,
        /// Whether it is about a directory in the directory.
        is_dir: bool,
    },
    /// The kernel has dropped events, because they were not read in time.
    Lost,
}

/// Whether an error of [`Adder::add`] means that the user has no watches left.
pub fn is_full(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOSPC.raw_os_error())
}

/// The number of watches that the user may have, for messages.
pub fn most_watches() -> Option<u64> {
    let text = std::fs::read_to_string(Path::new("/proc/sys/fs/inotify/max_user_watches"));
    text.ok()?.trim().parse().ok()
}

#[cfg(target_os = "linux")]
mod backend {
    use std::ffi::OsStr;
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
    use rustix::io::Errno;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::{DirId, Event, Happened};
    use crate::sys::readiness;

    /// Room for events of one read, in bytes: hundreds of them.
    const ROOM: usize = 64 * 1024;

    /// Watches directories.
    pub struct FileWatch {
        fd: AsyncFd<OwnedFd>,
    }

    /// Adds directories, also in another thread.
    #[derive(Debug)]
    pub struct Adder {
        fd: OwnedFd,
    }

    impl FileWatch {
        /// Watches nothing yet. Fails if the user has no inotify instance left (`fs.inotify.max_user_instances`).
        pub fn new() -> io::Result<Self> {
            let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            let fd = readiness::watch(fd, Interest::READABLE)?;
            Ok(Self { fd })
        }

        /// What adds directories to it.
        pub fn adder(&self) -> io::Result<Adder> {
            let fd = self.fd.get_ref().try_clone()?;
            Ok(Adder { fd })
        }

        /// Stops watching a directory. `Ended` follows.
        pub fn remove(&self, dir: DirId) {
            // It fails if the directory is gone.
            let _ = inotify::remove_watch(self.fd.get_ref(), dir);
        }

        /// Waits until there are events.
        pub async fn has_events(&self) -> io::Result<()> {
            loop {
                let mut ready = self.fd.readable().await?;
                // The readiness is cleared once a read finds nothing.
                let mut fds = [rustix::event::PollFd::new(
                    self.fd.get_ref(),
                    rustix::event::PollFlags::IN,
                )];
                let at_once = rustix::event::Timespec {
                    tv_sec: 0,
                    tv_nsec: 0,
                };
                match rustix::event::poll(&mut fds, Some(&at_once)) {
                    Ok(0) => ready.clear_ready(),
                    Err(Errno::INTR) => {}
                    Ok(_) => return Ok(()),
                    Err(error) => return Err(error.into()),
                }
            }
        }

        /// Passes on all events that there are.
        pub fn read(&self, mut each: impl FnMut(Event<'_>)) -> io::Result<()> {
            let mut room = vec![MaybeUninit::uninit(); ROOM];
            let mut events = inotify::Reader::new(self.fd.get_ref(), &mut room);
            loop {
                let event = match events.next() {
                    Ok(event) => event,
                    Err(Errno::AGAIN) => return Ok(()),
                    Err(Errno::INTR) => continue,
                    Err(error) => return Err(error.into()),
                };
                let flags = event.events();
                let is_dir = flags.contains(ReadFlags::ISDIR);
                let name = event.file_name().map_or(&[][..], |name| name.to_bytes());
                if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                    each(Event::Lost);
                    continue;
                }
                // One event has one of them.
                let what = [
                    (ReadFlags::IGNORED, Happened::Ended),
                    (ReadFlags::UNMOUNT, Happened::Left),
                    (ReadFlags::DELETE_SELF, Happened::Left),
                    (ReadFlags::MOVE_SELF, Happened::Left),
                    (ReadFlags::CREATE, Happened::Appeared),
                    (ReadFlags::MOVED_TO, Happened::Appeared),
                    (ReadFlags::DELETE, Happened::Removed),
                    (ReadFlags::MOVED_FROM, Happened::Moved),
                    (ReadFlags::MODIFY, Happened::Written),
                    (ReadFlags::CLOSE_WRITE, Happened::Closed),
                ];
                let found = what.into_iter().find(|(flag, _)| flags.contains(*flag));
                if let Some((_, what)) = found {
                    each(Event::In {
                        dir: event.wd(),
                        name: OsStr::from_bytes(name),
                        what,
                        is_dir,
                    });
                }
            }
        }
    }

    impl Adder {
        /// Also watches `dir`, which must be a directory and no link to one. A directory that is watched already
        /// keeps its id.
        pub fn add(&self, dir: &Path) -> io::Result<DirId> {
            let names = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO;
            let content = WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE;
            let itself = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
            // Files that were removed and are still open are of no interest.
            let how = WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW | WatchFlags::EXCL_UNLINK;
            Ok(inotify::add_watch(
                &self.fd,
                dir,
                names | content | itself | how,
            )?)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod backend {
    use std::io;
    use std::path::Path;

    use super::{DirId, Event};

    fn unsupported() -> io::Error {
        io::Error::new(
            io::ErrorKind::Unsupported,
            "files cannot be watched on this system yet",
        )
    }

    /// Watches directories: not on this system.
    pub struct FileWatch {}

    /// Adds directories, also in another thread.
    #[derive(Debug)]
    pub struct Adder {}

    impl FileWatch {
        /// Fails.
        pub fn new() -> io::Result<Self> {
            Err(unsupported())
        }

        /// Fails.
        pub fn adder(&self) -> io::Result<Adder> {
            Err(unsupported())
        }

        /// Stops watching a directory.
        pub fn remove(&self, _dir: DirId) {}

        /// Waits until there are events.
        pub async fn has_events(&self) -> io::Result<()> {
            Err(unsupported())
        }

        /// Passes on all events that there are.
        pub fn read(&self, _each: impl FnMut(Event<'_>)) -> io::Result<()> {
            Err(unsupported())
        }
    }

    impl Adder {
        /// Fails.
        pub fn add(&self, _dir: &Path) -> io::Result<DirId> {
            Err(unsupported())
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn seen(watch: &FileWatch) -> Vec<(String, Happened)> {
        let mut seen = Vec::new();
        let read = watch.read(|event| {
            if let Event::In { name, what, .. } = event {
                seen.push((name.to_string_lossy().into_owned(), what));
            }
        });
        read.unwrap();
        seen
    }

    #[test]
    fn it_reports_what_happens_in_a_directory_and_ends() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let watch = FileWatch::new().unwrap();
            let id = watch.adder().unwrap().add(dir.path()).unwrap();
            std::fs::write(dir.path().join("a"), "1").unwrap();
            std::fs::remove_file(dir.path().join("a")).unwrap();
            watch.has_events().await.unwrap();
            let kinds: Vec<_> = seen(&watch).into_iter().map(|(_, what)| what).collect();
            use Happened::{Appeared, Closed, Removed, Written};
            assert_eq!(kinds, [Appeared, Written, Closed, Removed]);
            watch.remove(id);
            watch.has_events().await.unwrap();
            assert_eq!(seen(&watch), [(String::new(), Happened::Ended)]);
        });
    }
}
