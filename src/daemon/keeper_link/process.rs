//! The keeper's process.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;

use crate::sys::process;

/// The keeper's process, and the keeper's version.
pub(crate) struct KeeperProcess {
    pub(crate) pid: u32,
    pub(crate) version: String,
    pidfd: OwnedFd,
    /// Set if it is our child, so that it can be reaped.
    child: Option<Child>,
}

impl KeeperProcess {
    /// The keeper with this pid. It has just contacted the daemon or is its child, so the pid is not reused.
    pub(crate) fn new(pid: u32, version: String, child: Option<Child>) -> io::Result<Self> {
        match process::handle(pid) {
            Ok(pidfd) => Ok(Self {
                pid,
                version,
                pidfd,
                child,
            }),
            Err(error) => {
                // It has nothing yet, and would stay a zombie.
                if let Some(mut child) = child {
                    let _ = child.kill();
                    let _ = child.wait();
                }
                Err(error)
            }
        }
    }

    /// A duplicate of the pidfd.
    pub(crate) fn pidfd(&self) -> io::Result<OwnedFd> {
        self.pidfd.try_clone()
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
