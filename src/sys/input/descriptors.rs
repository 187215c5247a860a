//! Whether descriptors of a process refer to the session's input.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::fs::makedev;

use super::family::Reader;
use crate::sys::proc;

/// The input of a session's program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    /// A terminal, by device number.
    Terminal(u64),
    /// A pipe, by device and inode.
    Pipe(u64, u64),
}

/// What was found out about a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// It waits for the session's input.
    Input,
    /// It does not wait for the session's input.
    Other,
    /// We may not inspect it.
    Unseen,
}

/// How deep epoll sets that contain epoll sets are followed.
const MAX_NESTING: usize = 3;

/// Whether a descriptor is the session's input.
pub(super) fn is(reader: Reader, fd: i32, input: Input) -> Found {
    let meta = match std::fs::metadata(format!("/proc/{}/fd/{fd}", reader.pid)) {
        Ok(meta) => meta,
        Err(error) => return unseen(&error),
    };
    let same = match input {
        Input::Terminal(device) => {
            // `/dev/tty` is the controlling terminal of the process that opens it.
            let is_own = reader.is_controlled && meta.rdev() == makedev(5, 0);
            meta.file_type().is_char_device() && (meta.rdev() == device || is_own)
        }
        Input::Pipe(device, inode) => meta.dev() == device && meta.ino() == inode,
    };
    if same { Found::Input } else { Found::Other }
}

/// Whether one of these descriptors is the session's input.
pub(super) fn any(reader: Reader, fds: &[i32], input: Input) -> Found {
    let mut found = Found::Other;
    for &fd in fds {
        match is(reader, fd, input) {
            Found::Input => return Found::Input,
            Found::Unseen => found = Found::Unseen,
            Found::Other => {}
        }
    }
    found
}

/// Whether an epoll instance waits for the session's input.
pub(super) fn polled(reader: Reader, epoll: i32, input: Input) -> Found {
    nested(reader, epoll, input, MAX_NESTING)
}

fn nested(reader: Reader, epoll: i32, input: Input, depth: usize) -> Found {
    let info = match proc::text(&format!("/proc/{}/fdinfo/{epoll}", reader.pid)) {
        Ok(info) => info,
        Err(error) => return unseen(&error),
    };
    let fds: Vec<i32> = info.lines().filter_map(target).collect();
    let found = any(reader, &fds, input);
    if found != Found::Other || depth == 0 {
        return found;
    }
    let is_epoll = |fd: &&i32| {
        std::fs::read_link(format!("/proc/{}/fd/{fd}", reader.pid))
            .is_ok_and(|link| link.as_os_str() == "anon_inode:[eventpoll]")
    };
    fds.iter()
        .filter(is_epoll)
        .map(|&fd| nested(reader, fd, input, depth - 1))
        .find(|found| *found != Found::Other)
        .unwrap_or(Found::Other)
}

/// The descriptor in a line `tfd: 5 events: 19 data: …` of an epoll's `fdinfo` (proc_pid_fdinfo(5)), if it
/// is polled for reading.
fn target(line: &str) -> Option<i32> {
    const EPOLLIN: u32 = 0x001;
    let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
    let fd = words.next()?.parse().ok()?;
    (words.next()? == "events:").then_some(())?;
    let events = u32::from_str_radix(words.next()?, 16).ok()?;
    (events & EPOLLIN != 0).then_some(fd)
}

/// Maps an error: we may not inspect it, or it no longer exists.
pub(super) fn unseen(error: &io::Error) -> Found {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Found::Unseen,
        _ => Found::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_an_fdinfo_line() {
        let line = "tfd:        5 events:       19 data:                5  pos:0 ino:61af sdev:7";
        assert_eq!(target(line), Some(5));
        assert_eq!(target(&line.replace("19", "1c")), None);
        assert_eq!(target("pos:\t0"), None);
    }
}
