//! Files for their owner alone: small ones that are there whole or not at all,
//! and such as only grow. None is reached through a link that somebody laid.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
/// The umask of this process; none where the system does not tell.
pub fn umask() -> Option<u32> {
    // Asking umask(2) would change it, for all threads.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// Writes `bytes` beside `path` and renames, so that a reader finds all of it or
/// what was there before. The file is for its owner alone (0600).
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// Opens a file to add to, making it if need be (0600). A symbolic link in its
/// place is an error.
pub fn append(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().append(true)).open(path)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private(OpenOptions::new().write(true).truncate(true))
        .open(path)?
        .write_all(bytes)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
        .create(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_replaced_whole_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("meta.json");
        replace(&path, b"longer text").unwrap();
        replace(&path, b"short").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(replace(&dir.path().join("no/where"), b"x").is_err());
    }

    #[test]
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (link, aim) = (dir.path().join("link"), dir.path().join("aim"));
        std::fs::write(&aim, "mine").unwrap();
        std::os::unix::fs::symlink(&aim, &link).unwrap();
        assert!(append(&link).is_err());
        replace(&link, b"new").unwrap();
        assert_eq!(std::fs::read(&aim).unwrap(), b"mine");
    }
}
