//! The keeper's process.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

use tokio::io::Interest;
use tokio::time::timeout;

use crate::sys::{process, readiness};

/// How long a keeper that has closed its socket may take to die.
const DYING: Duration = Duration::from_secs(5);

/// The keeper's process, and the keeper's version.
pub(crate) struct KeeperProcess {
    pub(crate) pid: u32,
    /// `None` until it has taken over from a keeper that died.
    pub(crate) version: Option<String>,
    /// `None` if it was dead already when this daemon was greeted.
    pidfd: Option<OwnedFd>,
    /// Set if it is our child, so that it can be reaped.
    child: Option<Child>,
}

impl KeeperProcess {
    /// The keeper that this daemon was started by. It has just contacted the daemon, so the pid is not reused. It may have
    /// been killed since.
    pub(crate) fn first(pid: u32, version: String) -> io::Result<Self> {
        let pidfd = match process::handle(pid) {
            Ok(pidfd) => Some(pidfd),
            Err(error) if process::is_gone(&error) => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            pid,
            version: Some(version),
            pidfd,
            child: None,
        })
    }

    /// A keeper that this daemon has started, and that has not taken over yet.
    pub(crate) fn next(mut child: Child) -> io::Result<Self> {
        // It is not reaped, so the pid is not reused.
        let pid = child.id();
        match process::handle(pid) {
            Ok(pidfd) => Ok(Self {
                pid,
                version: None,
                pidfd: Some(pidfd),
                child: Some(child),
            }),
            Err(error) => {
                // It has nothing yet, and would stay a zombie.
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Whether it has everything that the keeper before had.
    pub(crate) fn has_taken_over(&self) -> bool {
        self.version.is_some()
    }

    /// A duplicate of the pidfd, for [`Self::dies`]; `None` if the process is dead.
    pub(crate) fn pidfd(&self) -> io::Result<Option<OwnedFd>> {
        self.pidfd.as_ref().map(OwnedFd::try_clone).transpose()
    }

    /// Whether it is dead, or dies soon: a process that is killed closes its sockets before it has ended.
    pub(crate) async fn dies(pidfd: Option<OwnedFd>) -> io::Result<bool> {
        let Some(pidfd) = pidfd else {
            return Ok(true);
        };
        let pidfd = readiness::watch(pidfd, Interest::READABLE)?;
        Ok(timeout(DYING, pidfd.readable()).await.is_ok())
    }

    /// Reaps a dead keeper, if it is a child of this daemon.
    pub(crate) fn reap(&mut self) -> io::Result<()> {
        if let Some(child) = &mut self.child {
            child.wait()?;
        }
        Ok(())
    }

    /// Kills a keeper that did not receive everything. With only some of the sessions, it would keep the next
    /// keeper from those that it holds.
    pub(crate) fn give_up(mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
