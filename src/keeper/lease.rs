//! The keeper's right to be the only one.

use std::io;
use std::os::fd::OwnedFd;

use crate::sys::lock::{self, Lock};
use crate::sys::paths::Home;

/// Two locks: of the socket's place, and of the sessions'. Another keeper with
/// its socket elsewhere would take jobs that run for lost.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) socket: Lock,
    pub(super) sessions: Lock,
}

impl Lease {
    /// For the first keeper of a home; an error says who has it.
    pub(super) fn attempt(home: &Home) -> Result<Self, String> {
        let place = home.runtime.display();
        let socket =
            Lock::attempt(&home.keeper_lock()).map_err(|error| format!("{place}: {error}"))?;
        let socket = socket.ok_or_else(|| format!("{place}: another keeper is running"))?;
        let path = home.sessions_lock();
        let fail = |error: io::Error| format!("{}: {error}", path.display());
        let address = home.socket().display().to_string();
        let Some(mut sessions) = Lock::attempt(&path).map_err(fail)? else {
            let (state, other) = (home.state.display(), lock::holder(&path));
            let other = other.unwrap_or_default();
            return Err(format!(
                "the jobs in {state} belong to the keeper behind {other}, not {address}; \
                 give XDG_RUNTIME_DIR and BGPROC_HOME the values they had when it was started"
            ));
        };
        sessions.note(&address).map_err(fail)?;
        Ok(Self { socket, sessions })
    }

    /// For one that takes over: the one before is dead or dying, and its locks with it.
    pub(super) fn wait(home: &Home) -> io::Result<Self> {
        Ok(Self {
            socket: Lock::wait(&home.keeper_lock())?,
            sessions: Lock::wait(&home.sessions_lock())?,
        })
    }

    /// What came through `exec`.
    pub(super) fn held(socket: OwnedFd, sessions: OwnedFd) -> Self {
        Self {
            socket: Lock::held(socket),
            sessions: Lock::held(sessions),
        }
    }
}
