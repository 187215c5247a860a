//! The end of a log on this machine, read from its file.
//!
//! A daemon keeps a session longer that somebody asks about. Who only lists sessions does not ask about one.

use std::io;
use std::path::Path;

use crate::protocol::SessionId;
use crate::protocol::disk::segment_name;
use crate::sys::{file, segments};

/// The last bytes of a session's log, at most `most`.
///
/// # Errors
///
/// If the log cannot be read here: it is on another machine, or was removed.
pub fn log_tail(id: &SessionId, most: u64) -> io::Result<Vec<u8>> {
    let home = super::home().map_err(io::Error::other)?;
    tail(&home.session(id), most)
}

fn tail(dir: &Path, most: u64) -> io::Result<Vec<u8>> {
    let newest = segments::starts(dir)?
        .pop()
        .ok_or(io::ErrorKind::NotFound)?;
    file::read_end(&dir.join(segment_name(newest)), most)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_newest_segment_is_read() {
        let dir = tempfile::tempdir().unwrap();
        assert!(tail(dir.path(), 9).is_err());
        std::fs::write(dir.path().join(segment_name(0)), "old").unwrap();
        std::fs::write(dir.path().join(segment_name(3)), "newest").unwrap();
        assert_eq!(tail(dir.path(), 4).unwrap(), b"west");
        assert_eq!(tail(dir.path(), 99).unwrap(), b"newest");
    }
}
