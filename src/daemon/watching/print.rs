//! Reads what is remembered of a file.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::engine::project::watching::Print;

/// Files of this size, in bytes, and larger ones are not read: 1 MiB. Few sources are as large.
pub(crate) const LARGE: u64 = 1024 * 1024;

/// What is remembered of a file, and how many bytes were read for it; `None` if it does not exist.
pub(super) fn print(path: &Path) -> Option<(Print, u64)> {
    let meta = path.symlink_metadata().ok()?;
    let large = Print::Large(meta.len(), stamp(&meta));
    if meta.is_symlink() {
        // A link is another one if it leads elsewhere.
        let target = path.read_link().ok()?;
        let hash = hash(target.as_os_str().as_bytes());
        return Some((Print::Content(0, hash), 0));
    }
    if meta.is_dir() {
        return Some((Print::Content(0, 0), 0));
    }
    if !meta.is_file() || meta.len() >= LARGE {
        return Some((large, 0));
    }
    match content(path) {
        Ok(content) => {
            let size = content.len() as u64;
            Some((Print::Content(size, hash(&content)), size))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => Some((large, 0)),
    }
}

fn content(path: &Path) -> io::Result<Vec<u8>> {
    // What has become a pipe meanwhile must not block.
    let how =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, how, rustix::fs::Mode::empty())?);
    let mut content = Vec::new();
    file.take(LARGE).read_to_end(&mut content)?;
    Ok(content)
}

/// When it was written, in nanoseconds since 1970.
fn stamp(meta: &std::fs::Metadata) -> i64 {
    let seconds = meta.mtime().saturating_mul(1_000_000_000);
    seconds.saturating_add(meta.mtime_nsec())
}

/// Tells contents apart that come about by themselves; it need not resist somebody who looks for two with one hash.
fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn it_says_whether_the_content_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let print = || print(&path).map(|(print, _)| print);
        assert_eq!(print(), None);
        std::fs::write(&path, "one").unwrap();
        let one = print();
        std::fs::write(&path, "two").unwrap();
        let two = print();
        std::fs::write(&path, "one").unwrap();
        assert!(one.is_some() && one != two && one == print());
        let large = usize::try_from(LARGE).unwrap();
        std::fs::write(&path, vec![b'x'; large]).unwrap();
        assert!(matches!(print(), Some(Print::Large(LARGE, _))));
    }

    #[test]
    fn a_pipe_and_a_link_are_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, link) = (dir.path().join("pipe"), dir.path().join("link"));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        std::os::unix::fs::symlink("pipe", &link).unwrap();
        assert!(print(&pipe).is_some());
        let before = print(&link);
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert!(before.is_some() && print(&link) != before);
    }
}
