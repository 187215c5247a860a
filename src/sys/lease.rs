//! Whether somebody is writing a file, by a lease of it (fcntl(2), `F_SETLEASE`).
#![allow(
    unsafe_code,
    reason = "no library has the commands of fcntl for leases"
)]

use std::fs::File;
use std::io;

/// What the kernel says of a file that was opened for reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writers {
    /// Nobody has it open for writing, and nobody can open or truncate it so while this file is open: they wait.
    None,
    /// Somebody has. File systems of a network say so of every file.
    Some,
    /// It is not known: the file belongs to another user, or its file system has no leases.
    Unknown,
}

/// Keeps writers away from a file until it is closed. It should be closed soon.
#[cfg(target_os = "linux")]
pub fn keep_writers_away(file: &File) -> Writers {
    use std::os::fd::AsRawFd;

    /// `F_SETSIG` of asm-generic/fcntl.h.
    const SET_SIGNAL: libc::c_int = 10;
    let fd = file.as_raw_fd();
    // A writer who comes raises a signal in the holder of the lease. The default one, SIGIO, would end this process;
    // SIGURG is ignored by default.
    // SAFETY: both commands take a number, and the descriptor is open.
    let leased = unsafe {
        match libc::fcntl(fd, SET_SIGNAL, libc::SIGURG) {
            0 => libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK),
            failed => failed,
        }
    };
    match leased {
        0 => Writers::None,
        _ if io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock => Writers::Some,
        _ => Writers::Unknown,
    }
}

/// Other systems have no leases.
#[cfg(not(target_os = "linux"))]
pub fn keep_writers_away(_file: &File) -> Writers {
    Writers::Unknown
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_that_is_open_for_writing_is_told_from_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let writer = File::create(&path).unwrap();
        let known = keep_writers_away(&File::open(&path).unwrap());
        if known == Writers::Unknown {
            // Past the test runner, which shows the output of failed tests only.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: files have no leases in {}",
                dir.path().display()
            );
            return;
        }
        assert_eq!(known, Writers::Some);
        drop(writer);
        let reader = File::open(&path).unwrap();
        assert_eq!(keep_writers_away(&reader), Writers::None);
        // A writer waits for the end of the lease, and its coming ends nobody.
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || File::create(path).is_ok()
        });
        drop(reader);
        assert!(waiting.join().unwrap());
        assert_eq!(
            keep_writers_away(&File::open(&path).unwrap()),
            Writers::None
        );
    }
}
