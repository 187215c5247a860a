//! Memory that takes what a short-lived program writes to its standard error.
//!
//! It is not a pipe: what a shell line leaves in the background may write for as long as it runs, and would be ended by
//! SIGPIPE once nobody reads. Here a write beyond the end fails (EPERM, fcntl_getlk(2) on `F_SEAL_GROW`), as on a full
//! disk.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

/// Bytes that are taken at most. Pages that are not written take no memory.
const ROOM: u64 = 1 << 20;

/// Bytes of its end in which the last line is looked for.
const LAST: u64 = 4096;

/// Longest line that is told, in characters.
const LINE: usize = 200;

/// The memory.
#[derive(Debug)]
pub struct ErrorsFile(File);

impl ErrorsFile {
    /// Empty memory.
    pub fn new() -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let memory = memfd_create("bgproc-errors", flags)?;
        ftruncate(&memory, ROOM)?;
        fcntl_add_seals(
            &memory,
            SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW,
        )?;
        Ok(Self(memory.into()))
    }

    /// A descriptor for the program.
    pub fn writer(&self) -> io::Result<OwnedFd> {
        self.0.as_fd().try_clone_to_owned()
    }

    /// How the program has failed, with its own last words: `exit code 2: no response`.
    pub fn explain(&self, how: String) -> String {
        match self.last_line() {
            Some(line) => format!("{how}: {line}"),
            None => how,
        }
    }

    /// The last line so far that is not blank, without controls; `None` if there is none.
    pub fn last_line(&self) -> Option<String> {
        // Program and memory share the position. One that opens /dev/stderr anew writes from the start.
        let end = rustix::fs::tell(&self.0).ok()?;
        let end = if end == 0 { LAST } else { end };
        let start = end.saturating_sub(LAST);
        let mut bytes = vec![0; usize::try_from(end - start).ok()?];
        self.0.read_exact_at(&mut bytes, start).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = text
            .lines()
            .map(|line| line.trim_matches(['\0', ' ', '\t']));
        let last = lines.rev().find(|line| !line.is_empty())?;
        Some(last.chars().take(LINE).collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;
    use std::process::Command;

    use super::*;

    fn said_by(line: &str) -> Option<String> {
        let errors = ErrorsFile::new().unwrap();
        let mut command = Command::new("sh");
        let command = command.args(["-c", line]).stderr(errors.writer().unwrap());
        command.status().unwrap();
        errors.last_line()
    }

    #[test]
    fn the_last_line_is_told() {
        assert_eq!(said_by("true"), None);
        assert_eq!(said_by("echo >&2"), None);
        let two = "echo first >&2; printf '  no server\\n\\n' >&2";
        assert_eq!(said_by(two).as_deref(), Some("no server"));
        let many = "seq 1 3000 >&2; printf 'last' >&2";
        assert_eq!(said_by(many).as_deref(), Some("last"));
        let anew = "echo anew > /dev/stderr";
        assert_eq!(said_by(anew).as_deref(), Some("anew"));
    }

    #[test]
    fn it_takes_no_more_than_it_has_room_for() {
        let errors = ErrorsFile::new().unwrap();
        let mut file = File::from(errors.writer().unwrap());
        let much = vec![b'x'; usize::try_from(ROOM).unwrap()];
        file.write_all(&much).unwrap();
        let error = file.write(b"more").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(errors.last_line().unwrap().len(), LINE);
    }
}
