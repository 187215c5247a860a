//! The locks that make sure only one keeper runs.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use crate::sys::file;
use crate::sys::lock::{self, Lock};
use crate::sys::paths::{Home, keeper_lock_in, private_dir};

/// Two locks: one on the socket's directory, one on the sessions. The second one keeps a keeper with a
/// socket elsewhere from treating running jobs as lost.
#[derive(Debug)]
pub(super) struct Locks {
    pub(super) socket: Lock,
    pub(super) sessions: Lock,
}

impl Locks {
    /// Takes both locks for the first keeper of a home. The error says who holds them.
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

    /// Waits for both locks on behalf of a successor. The previous keeper is dead or dying, and its locks
    /// with it. Also returns the path at which that one listened.
    pub(super) fn wait(home: &Home) -> io::Result<(Self, PathBuf)> {
        let sessions = Lock::wait(&home.sessions_lock())?;
        let path = noted_socket(home).unwrap_or_else(|| home.socket());
        let dir = path.parent().unwrap_or(&home.state);
        // If the directory is gone, lock the state directory; the keeper restores the socket once it runs.
        let socket = Lock::wait(&keeper_lock_in(dir))
            .or_else(|_| Lock::wait(&keeper_lock_in(&home.state)))?;
        Ok((Self { socket, sessions }, path))
    }

    /// The locks that were inherited through `exec`.
    pub(super) fn held(socket: OwnedFd, sessions: OwnedFd) -> Self {
        Self {
            socket: Lock::held(socket),
            sessions: Lock::held(sessions),
        }
    }

    /// Notes in `sessions.lock` where the keeper listens, for clients with another environment.
    pub(super) fn note(&mut self, socket: &Path) -> io::Result<()> {
        self.sessions.note(&socket.display().to_string())
    }

    /// Locks `sessions.lock` again if the file was removed: a process that starts a keeper would create a
    /// new file and find it unlocked. Returns whether it had to.
    pub(super) fn renew_sessions(&mut self, home: &Home) -> io::Result<bool> {
        renew(&mut self.sessions, &home.sessions_lock())
    }

    /// Takes the lock for listening in `dir`, and creates the directory if need be.
    pub(super) fn move_to(&mut self, dir: &Path) -> io::Result<()> {
        private_dir(dir).map_err(io::Error::other)?;
        renew(&mut self.socket, &keeper_lock_in(dir)).map(drop)
    }
}

/// The socket path that the keeper of these sessions has noted in `sessions.lock`, if any.
pub(super) fn noted_socket(home: &Home) -> Option<PathBuf> {
    let noted = lock::holder(&home.sessions_lock())?;
    let path = PathBuf::from(noted.lines().next()?);
    path.is_absolute().then_some(path)
}

/// Locks the file at `path`; returns false if that file is already the one held.
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
