//! The file system for the reader of project files, where no daemon is asked: `init`, and the names of a project's
//! jobs for TAB. Also the current directory, which may be gone.
//!
//! The daemon has its own, which also notices files that change while they are read, and decides which files are
//! trusted.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::project::{Files, Look, found};

/// The current directory.
///
/// # Errors
///
/// If it was removed, or may not be read.
pub fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(gone)
}

/// The absolute path of a file, for a process that has another current directory.
///
/// # Errors
///
/// Those of [`here`], if the path is not absolute.
pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(gone)
}

fn gone(error: io::Error) -> Failure {
    Failure::cannot("find the current directory")(error)
        .hint("it may have been removed; go to another one")
}

/// The real file system.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        // To open a pipe waits for its writer.
        if !std::fs::metadata(path)?.is_file() {
            let message = "is not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut content = Vec::new();
        let file = File::open(path)?;
        let read = file.take(max.saturating_add(1)).read_to_end(&mut content)?;
        if read as u64 > max {
            Err(io::ErrorKind::FileTooLarge.into())
        } else {
            Ok(content)
        }
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
        look.uid == rustix::process::geteuid().as_raw()
    }

    /// Only the convention: the group of a user has the user's number. The daemon looks at the members.
    fn group_is_private(&self, gid: u32) -> bool {
        gid == rustix::process::geteuid().as_raw()
    }
}
