//! The file system, as the reader of project files asks for it.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::project::{Files, Look, found};
use crate::sys::users;

/// Age below which a file may still be being written.
const FRESH: Duration = Duration::from_millis(20);

/// The real file system. It is used in a thread of its own: files may be on a slow disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let content = read_once(path, max)?;
        // An editor that truncates and writes leaves a moment in which a file is valid and not whole.
        let modified = std::fs::metadata(path)?.modified()?;
        let is_fresh = modified.elapsed().is_ok_and(|age| age < FRESH);
        if is_fresh {
            std::thread::sleep(FRESH);
            if read_once(path, max)? != content {
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

/// Reads a file that does not change meanwhile.
fn read_once(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
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
    match state(&before) == state(&after) && read as u64 == after.len() {
        true => Ok(content),
        false => Err(io::ErrorKind::Interrupted.into()),
    }
}
