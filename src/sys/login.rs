//! The terminal session (setsid(2)) of a process: it begins with a shell on a terminal and ends with it.

use rustix::fs::{Mode, OFlags, open};

use super::process;

/// One terminal session, unique for as long as the machine runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Login {
    /// Pid of its first process, usually a shell.
    pub leader: u32,
    /// Start time of the leader, in clock ticks after boot, because pids and terminals are reused. 0 if
    /// unknown.
    pub start: u64,
}

impl Login {
    /// The terminal session of this process; `None` without a terminal, as under cron.
    pub fn current() -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
        // A process with a controlling terminal can open this, whatever its standard streams are.
        open("/dev/tty", flags, Mode::empty()).ok()?;
        let leader = process::read(std::process::id())?.session;
        Some(Self {
            leader,
            start: start(leader).unwrap_or(0),
        })
    }

    /// Whether the leader still runs, as far as this process can see.
    pub fn is_there(&self) -> bool {
        start(self.leader) == Some(self.start)
    }
}

/// Start time of the leader. `None` if it cannot be seen: it is in another container, or ended before its
/// session.
fn start(leader: u32) -> Option<u64> {
    Some(process::read(leader)?.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_its_leader_is_another_process() {
        let leader = std::process::id();
        let start = start(leader).unwrap_or(0);
        assert!(Login { leader, start }.is_there());
        let start = start + 1;
        assert!(!Login { leader, start }.is_there());
    }
}
