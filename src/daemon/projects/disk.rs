//! The file system, as the reader of project files asks for it.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::project::{Files, Look, found};
use crate::sys::lease::{self, Writers};
use crate::sys::users;

/// Age below which a file may be about to be written again.
const FRESH: Duration = Duration::from_millis(20);

/// Age from which a file that somebody has open for writing counts as written: some programs keep files open.
const WRITTEN: Duration = Duration::from_secs(1);

/// Pause before another look at a file that is being written.
const PAUSE: Duration = Duration::from_millis(5);

/// Number of looks at such a file: half a second in all.
const LOOKS: u32 = 100;

/// The real file system. It is used in a thread of its own: files may be on a slow disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let content = read_written(path, max)?;
        // A program that closes the file between two writes leaves a moment in which it is valid and not whole.
        if age(&std::fs::metadata(path)?)? < FRESH {
            std::thread::sleep(FRESH);
            if read_written(path, max)? != content {
                return Err(io::ErrorKind::Interrupted.into());
            }
        }
        Ok(content)
    }

    fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        found(std::fs::metadata(path))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    fn names(&self, dir: &Path) -> io::Result<Vec<String>> {
        let names = std::fs::read_dir(dir)?;
        let names = names.map(|entry| Ok(entry?.file_name().into_string().ok()));
        let names: io::Result<Vec<_>> = names.collect();
        Ok(names?.into_iter().flatten().collect())
    }

    fn is_mine(&self, look: &Look) -> bool {
        look.uid == users::own_id()
    }

    fn group_is_private(&self, gid: u32) -> bool {
        users::group_is_private(gid)
    }
}

/// Time since the last change of a file. One from the future is old: the clock was set back.
fn age(meta: &std::fs::Metadata) -> io::Result<Duration> {
    Ok(meta.modified()?.elapsed().unwrap_or(Duration::MAX))
}

/// Reads a file that nobody is writing.
///
/// An editor truncates a file and writes it piece by piece. Each piece may end where the file is valid and has fewer
/// jobs, and a machine that is busy may leave it so for longer than anybody can wait: only the kernel knows whether
/// more is to come.
fn read_written(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    for _ in 0..LOOKS {
        let file = File::open(path)?;
        let is_written = match lease::keep_writers_away(&file) {
            Writers::None | Writers::Unknown => true,
            Writers::Some => age(&file.metadata()?)? >= WRITTEN,
        };
        if is_written {
            return read_once(file, max);
        }
        std::thread::sleep(PAUSE);
    }
    Err(io::ErrorKind::Interrupted.into())
}

/// Reads a file that does not change meanwhile.
fn read_once(mut file: File, max: u64) -> io::Result<Vec<u8>> {
    let before = file.metadata()?;
    if !before.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "is not a regular file",
        ));
    }
    let mut content = Vec::new();
    let read = file.by_ref().take(max + 1).read_to_end(&mut content)?;
    if read as u64 > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    // An editor may be writing it: what was read is then neither the old nor the new content.
    let after = file.metadata()?;
    let state = |meta: &std::fs::Metadata| (meta.len(), meta.mtime(), meta.mtime_nsec());
    if state(&before) == state(&after) && read as u64 == after.len() {
        Ok(content)
    } else {
        Err(io::ErrorKind::Interrupted.into())
    }
}
