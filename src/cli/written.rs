//! A file that somebody has named for the output of a verb.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::Path;

use crate::cli::exit::{Exit, Failure};
use crate::client::Copy;

/// A file that is to be written. It is opened first, as a shell does: then the error of a path is that of this process,
/// and a new file has the mode that the umask says.
#[derive(Debug)]
pub(super) struct Written<'a> {
    path: &'a Path,
    file: File,
    permissions: Permissions,
    is_new: bool,
    is_whole: bool,
}

impl<'a> Written<'a> {
    /// Opens the file, or creates it.
    pub(super) fn open(path: &'a Path) -> io::Result<Self> {
        let before = std::fs::symlink_metadata(path).ok();
        let file = File::options().append(true).create(true).open(path)?;
        let opened = file.metadata()?;
        let is_link = before.as_ref().is_some_and(std::fs::Metadata::is_symlink);
        Ok(Self {
            path,
            permissions: opened.permissions(),
            is_new: before.is_none(),
            is_whole: opened.is_file() && !is_link,
            file,
        })
    }

    /// Whether another file can take its place once that is complete. A pipe, a device such as `/dev/stdout` and the
    /// file that a link leads to are written into.
    pub(super) fn is_replaced(&self) -> bool {
        self.is_whole
    }

    /// Gives the file that has taken its place the mode that it had.
    pub(super) fn replaced(self) -> io::Result<()> {
        std::fs::set_permissions(self.path, self.permissions)
    }

    /// Removes it again if it was not there before: there is nothing to write.
    pub(super) fn give_up(self) {
        if self.is_new {
            // The error that led here says more.
            let _ = std::fs::remove_file(self.path);
        }
    }

    /// Makes these bytes its whole content. If that fails, an older file stays as it was.
    pub(super) fn fill(mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.is_replaced() {
            return self.emptied()?.write_all(bytes);
        }
        let mut copy = Copy::to(self.path);
        let written = copy.write_all(bytes);
        // It says more than the error of `Write`.
        let written = copy.fault().map_or(written, Err);
        match written.and_then(|()| copy.finish()) {
            Ok(_) => self.replaced(),
            Err(error) => {
                self.give_up();
                Err(error)
            }
        }
    }

    /// The file, without what was in it.
    pub(super) fn emptied(&mut self) -> io::Result<&mut File> {
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        Ok(&mut self.file)
    }
}

/// The failure that a file cannot be written.
pub(super) fn unwritable(path: &Path) -> impl Fn(io::Error) -> Failure {
    let path = path.display().to_string();
    move |error| Failure::with_message(Exit::FAILED, format!("cannot write {path}: {error}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_keeps_its_mode_and_a_link_its_target() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let mode = |name: &str| at(name).metadata().unwrap().permissions().mode() & 0o777;
        std::fs::write(at("old"), "old").unwrap();
        std::fs::set_permissions(at("old"), Permissions::from_mode(0o640)).unwrap();
        let (path, new) = (at("old"), at("new"));
        let written = Written::open(&path).unwrap();
        assert!(written.is_replaced());
        std::fs::write(&new, "new").unwrap();
        std::fs::rename(&new, &path).unwrap();
        written.replaced().unwrap();
        assert_eq!(mode("old"), 0o640);
        symlink("old", at("link")).unwrap();
        let path = at("link");
        let mut written = Written::open(&path).unwrap();
        assert!(!written.is_replaced());
        written.emptied().unwrap().write_all(b"x").unwrap();
        written.give_up();
        assert_eq!(std::fs::read_to_string(at("old")).unwrap(), "x");
        Written::open(&path).unwrap().fill(b"y").unwrap();
        let (text, is_link) = (std::fs::read_to_string(at("old")), path.is_symlink());
        assert_eq!((text.unwrap().as_str(), is_link), ("y", true));
        let path = at("old");
        Written::open(&path).unwrap().fill(b"z").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.as_str(), mode("old")), ("z", 0o640));
        let path = at("none");
        Written::open(&path).unwrap().give_up();
        assert!(!path.exists());
        assert!(Written::open(&at("no/dir")).is_err());
    }
}
