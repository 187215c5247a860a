//! The terminal session that a process belongs to: what begins with a shell on a terminal and ends with it.

use rustix::fs::{Mode, OFlags, open};

use super::process;

/// One terminal session, told from all others as long as the machine runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Login {
    /// Pid of its first process, mostly a shell.
    pub leader: u32,
    /// When that started, in clock ticks after boot: a pid, and the terminal, are given out again. 0: not known.
    pub start: u64,
}

impl Login {
    /// That of this process; `None` where it has no terminal, as under cron.
    pub fn current() -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
        // It can be opened by whoever has a controlling terminal, whatever the standard streams are.
        open("/dev/tty", flags, Mode::empty()).ok()?;
        let leader = process::read(std::process::id())?.session;
        Some(Self {
            leader,
            start: start(leader).unwrap_or(0),
        })
    }

    /// Whether it still goes on, as far as can be seen from here.
    pub fn is_there(&self) -> bool {
        start(self.leader) == Some(self.start)
    }
}

/// A leader may be out of sight: in another container, or ended before its session.
fn start(leader: u32) -> Option<u64> {
    Some(process::read(leader)?.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_there_until_its_leader_is_another() {
        let leader = std::process::id();
        let start = start(leader).unwrap_or(0);
        assert!(Login { leader, start }.is_there());
        let start = start + 1;
        assert!(!Login { leader, start }.is_there());
    }
}
