//! The keeper's process.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;

use crate::sys::process;

/// The keeper's process, and its version.
pub(crate) struct KeeperProcess {
    pub(crate) pid: u32,
    pub(crate) version: String,
    pidfd: OwnedFd,
    /// If it is a child of ours, so that it is reaped.
    child: Option<Child>,
}

impl KeeperProcess {
    /// The keeper of this pid, which has just spoken to us.
    pub(crate) fn new(pid: u32, version: String, child: Option<Child>) -> io::Result<Self> {
        Ok(Self {
            pid,
            version,
            pidfd: process::handle(pid)?,
            child,
        })
    }

    /// A duplicate of the handle on the process.
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

    /// Ends one that did not get all that it needs: with a part of it, it would
    /// keep the others from what it holds.
    pub(crate) fn give_up(mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
