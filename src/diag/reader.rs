//! What keeper and daemon have said about themselves, read from their files:
//! that also works where neither answers any more.

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

use crate::sys::paths::Home;
pub use crate::sys::role::ProcessRole;

/// A process's diagnostics, and how far they have been read.
#[derive(Debug)]
pub struct Diagnostics {
    path: PathBuf,
    older: PathBuf,
    /// The file that is being read; `None` before the first one.
    file: Option<File>,
    /// Tells of changes in the directory, once somebody waits for them.
    watch: Option<Watch>,
}

impl Diagnostics {
    /// Those of `process` in this home.
    pub fn of(home: &Home, process: ProcessRole) -> Self {
        Self::at(home.diagnostics(process), home.older_diagnostics(process))
    }

    fn at(path: PathBuf, older: PathBuf) -> Self {
        Self {
            path,
            older,
            file: None,
            watch: None,
        }
    }

    /// The file that is written now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Everything that is kept, 2 MiB at most; `None` if there never was anything.
    pub fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut kept = if_there(std::fs::read(&self.older))?;
        let newer = self.rest()?;
        if self.file.is_some() {
            kept.get_or_insert_default().extend(newer);
        }
        Ok(kept)
    }

    /// What follows what was read, as soon as there is something.
    pub fn read_on(&mut self) -> io::Result<Vec<u8>> {
        loop {
            // The watch comes first, so that nothing falls between the two.
            match self.watch.take() {
                Some(watch) => {
                    let mut events = [MaybeUninit::uninit(); 1024];
                    inotify::Reader::new(&watch.fd, &mut events).next()?;
                    // Else the directory of the log may be there now.
                    self.watch = Some(watch).filter(|watch| watch.is_of_log);
                    if self.watch.is_none() {
                        continue;
                    }
                }
                None => self.watch = Some(Watch::of(&self.path)?),
            }
            let bytes = self.rest()?;
            if !bytes.is_empty() {
                return Ok(bytes);
            }
        }
    }

    /// The rest of the file that is being read, and of those that took its place.
    fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            if let Some(file) = &mut self.file {
                file.read_to_end(&mut bytes)?;
            }
            let Some(next) = if_there(File::open(&self.path))? else {
                return Ok(bytes);
            };
            if let Some(file) = &self.file
                && id(file)? == id(&next)?
            {
                return Ok(bytes);
            }
            self.file = Some(next);
        }
    }
}

/// Tells of changes in a directory.
#[derive(Debug)]
struct Watch {
    fd: OwnedFd,
    /// Whether it is the directory of the log. Else that is not there yet, and this is the nearest one above.
    is_of_log: bool,
}

impl Watch {
    fn of(log: &Path) -> io::Result<Self> {
        let dir = log.parent().unwrap_or(Path::new("/"));
        let mut below: Option<&Path> = None;
        for at in dir.ancestors() {
            let fd = inotify::init(CreateFlags::CLOEXEC)?;
            match inotify::add_watch(&fd, at, WatchFlags::MODIFY | WatchFlags::CREATE) {
                // It was created before this was watched.
                Ok(_) if below.is_some_and(Path::exists) => return Self::of(log),
                Ok(_) => {
                    return Ok(Self {
                        fd,
                        is_of_log: at == dir,
                    });
                }
                Err(rustix::io::Errno::NOENT) => below = Some(at),
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }
}

fn if_there<T>(outcome: io::Result<T>) -> io::Result<Option<T>> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn id(file: &File) -> io::Result<(u64, u64)> {
    let meta = file.metadata()?;
    Ok((meta.dev(), meta.ino()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_log_whose_directory_is_not_there_yet_is_waited_for() {
        let base = tempfile::tempdir().unwrap();
        let dir = base.path().join("state/bgproc");
        let mut log = Diagnostics::at(dir.join("x.log"), dir.join("x.log.1"));
        assert_eq!(log.read().unwrap(), None);
        let writer = std::thread::spawn(move || {
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join("x.log"), "one\n").unwrap();
        });
        assert_eq!(log.read_on().unwrap(), b"one\n");
        writer.join().unwrap();
    }

    #[test]
    fn both_files_are_read_and_a_new_one_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, older) = (dir.path().join("x.log"), dir.path().join("x.log.1"));
        let mut log = Diagnostics::at(path.clone(), older.clone());
        assert_eq!(log.read().unwrap(), None);
        std::fs::write(&older, "one\n").unwrap();
        std::fs::write(&path, "two\n").unwrap();
        assert_eq!(log.read().unwrap().unwrap(), b"one\ntwo\n");
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"three\n").unwrap();
        assert_eq!(log.read_on().unwrap(), b"three\n");
        // It is full and makes room for a new one.
        file.write_all(b"four\n").unwrap();
        std::fs::rename(&path, &older).unwrap();
        std::fs::write(&path, "five\n").unwrap();
        let mut rest = log.read_on().unwrap();
        while !rest.ends_with(b"five\n") {
            rest.extend(log.read_on().unwrap());
        }
        assert_eq!(rest, b"four\nfive\n");
    }
}
