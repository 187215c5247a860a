//! The keeper's right to be the only one.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use crate::sys::file;
use crate::sys::lock::{self, Lock};
use crate::sys::paths::{Home, keeper_lock_in, private_dir};

/// Two locks: of the socket's directory, and of the sessions. A second keeper
/// with its socket elsewhere would take jobs that run for lost.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) socket: Lock,
    pub(super) sessions: Lock,
}

impl Lease {
    /// For the first keeper of a home; an error says who has it.
    pub(super) fn attempt(home: &Home) -> Result<Self, String> {
        let path = home.sessions_lock();
        let fail = |error: io::Error| format!("{}: {error}", path.display());
        let Some(sessions) = Lock::attempt(&path).map_err(fail)? else {
            let (state, other) = (home.state.display(), noted_socket(home));
            let other = other.unwrap_or_else(|| home.socket());
            return Err(format!(
                "the jobs in {state} belong to a keeper that runs already and listens at {}",
                other.display()
            ));
        };
        let place = home.runtime.display();
        let socket = Lock::attempt(&keeper_lock_in(&home.runtime))
            .map_err(|error| format!("{place}: {error}"))?;
        let socket = socket.ok_or_else(|| {
            format!("{place}: the keeper of another state directory listens there")
        })?;
        Ok(Self { socket, sessions })
    }

    /// For one that takes over: the one before is dead or dying, and its locks with
    /// it. Also returns where that one listened.
    pub(super) fn wait(home: &Home) -> io::Result<(Self, PathBuf)> {
        let sessions = Lock::wait(&home.sessions_lock())?;
        let path = noted_socket(home).unwrap_or_else(|| home.socket());
        let dir = path.parent().unwrap_or(&home.state);
        // A directory that is gone is looked for once the keeper runs.
        let socket = Lock::wait(&keeper_lock_in(dir))
            .or_else(|_| Lock::wait(&keeper_lock_in(&home.state)))?;
        Ok((Self { socket, sessions }, path))
    }

    /// What came through `exec`.
    pub(super) fn held(socket: OwnedFd, sessions: OwnedFd) -> Self {
        Self {
            socket: Lock::held(socket),
            sessions: Lock::held(sessions),
        }
    }

    /// Notes where the keeper listens, for clients of another environment.
    pub(super) fn note(&mut self, socket: &Path) -> io::Result<()> {
        self.sessions.note(&socket.display().to_string())
    }

    /// Takes the lock of the sessions anew if its file was removed: whoever starts a
    /// keeper would find another file, which nobody holds. Returns whether it was.
    pub(super) fn renew_sessions(&mut self, home: &Home) -> io::Result<bool> {
        renew(&mut self.sessions, &home.sessions_lock())
    }

    /// Has the right to listen in `dir`, which is made if need be.
    pub(super) fn move_to(&mut self, dir: &Path) -> io::Result<()> {
        private_dir(dir).map_err(io::Error::other)?;
        renew(&mut self.socket, &keeper_lock_in(dir)).map(drop)
    }
}

/// Where the keeper of these sessions listens, as it has noted.
pub(super) fn noted_socket(home: &Home) -> Option<PathBuf> {
    let noted = lock::holder(&home.sessions_lock())?;
    let path = PathBuf::from(noted.lines().next()?);
    path.is_absolute().then_some(path)
}

/// Holds the lock file at `path`; false if it is the one that is held already.
fn renew(lock: &mut Lock, path: &Path) -> io::Result<bool> {
    if file::identity(path).is_some_and(|found| file::identity_of(lock.as_fd()) == Some(found)) {
        return Ok(false);
    }
    *lock = Lock::attempt(path)?.ok_or_else(|| {
        let why = format!("{}: another keeper holds it", path.display());
        io::Error::new(io::ErrorKind::WouldBlock, why)
    })?;
    Ok(true)
}
