//! Control groups (cgroups(7), version 2): limits on all processes of a job together, where the system lets
//! us create groups.
//!
//! That takes a group above this process that delegates the memory or pids controller and that we may write
//! to: under a user's systemd, in many containers, and as root. Elsewhere, per-process limits are used
//! instead.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Mode, OFlags, access};

use crate::protocol::{JobLimits, SessionId};

/// Mount point of the hierarchy, chosen by systemd and used everywhere since.
const MOUNT: &str = "/sys/fs/cgroup";

/// A group that delegates controllers to the groups in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    dir: PathBuf,
    /// Whether it delegates the memory controller.
    pub memory: bool,
    /// Whether it delegates the pids controller.
    pub processes: bool,
}

/// The control group of a job.
#[derive(Debug)]
pub struct Group {
    /// `cgroup.procs` of the group: a process that writes `0` to it joins the group.
    pub join: OwnedFd,
    /// Whether it limits memory.
    pub memory: bool,
    /// Whether it limits the number of processes.
    pub processes: bool,
}

impl Place {
    /// Finds the nearest suitable group above this process; `None` if there is none.
    pub fn find() -> Option<Self> {
        let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
        Self::search(Path::new(MOUNT), own)
    }

    fn search(mount: &Path, own: &str) -> Option<Self> {
        let start = mount.join(own);
        let dirs = start.ancestors().take_while(|dir| dir.starts_with(mount));
        let mut places = dirs.filter_map(|dir| {
            let handed_on = std::fs::read_to_string(dir.join("cgroup.subtree_control")).ok()?;
            let has = |controller| handed_on.split_whitespace().any(|one| one == controller);
            let place = Self {
                dir: dir.to_owned(),
                memory: has("memory"),
                processes: has("pids"),
            };
            let ours = access(dir, Access::WRITE_OK).is_ok()
                && access(dir.join("cgroup.procs"), Access::WRITE_OK).is_ok();
            (ours && (place.memory || place.processes)).then_some(place)
        });
        places.next()
    }

    fn group(&self, id: &SessionId) -> PathBuf {
        self.dir.join(format!("bgproc-{id}"))
    }

    fn create(&self, id: &SessionId, limits: &JobLimits) -> io::Result<Group> {
        let dir = self.group(id);
        // Remove the group of an earlier run, so that its counters start at zero.
        let _ = std::fs::remove_dir(&dir);
        match std::fs::create_dir(&dir) {
            // Processes of an earlier run are still in the group; they stay in it.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let set = |file: &str, value: u64| std::fs::write(dir.join(file), value.to_string());
        let memory = limits.memory_bytes.filter(|_| self.memory);
        if let Some(bytes) = memory {
            set("memory.max", bytes)?;
            // The file is missing where there is no swap.
            let _ = set("memory.swap.max", 0);
        }
        let processes = limits.processes.filter(|_| self.processes);
        if let Some(count) = processes {
            set("pids.max", count)?;
        }
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        Ok(Group {
            join: rustix::fs::open(dir.join("cgroup.procs"), flags, Mode::empty())?,
            memory: memory.is_some(),
            processes: processes.is_some(),
        })
    }
}

/// Whether one of these limits needs a group.
pub fn is_needed(limits: &JobLimits) -> bool {
    limits.memory_bytes.is_some() || limits.processes.is_some()
}

/// Creates a group for a job whose limits need one. Returns `None` if no limit does, or if none can be created.
pub fn create(id: &SessionId, limits: &JobLimits) -> Option<Group> {
    if !is_needed(limits) {
        return None;
    }
    let place = Place::find()?;
    match place.create(id, limits) {
        Ok(group) => Some(group),
        Err(error) => {
            tracing::warn!(session = %id, %error, "cannot create a control group");
            let _ = std::fs::remove_dir(place.group(id));
            None
        }
    }
}

/// Whether the kernel has killed a process of the job at its memory limit, since its group was created.
pub fn was_killed(id: &SessionId) -> bool {
    let Some(place) = Place::find() else {
        return false;
    };
    let events = std::fs::read_to_string(place.group(id).join("memory.events"));
    killed(&events.unwrap_or_default())
}

/// Removes the group of a job, unless processes are left in it.
pub fn remove(id: &SessionId) {
    if let Some(place) = Place::find() {
        let _ = std::fs::remove_dir(place.group(id));
    }
}

fn killed(events: &str) -> bool {
    let count = events
        .lines()
        .find_map(|line| line.strip_prefix("oom_kill "));
    count.is_some_and(|count| count.trim() != "0")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_group_that_delegates_a_controller() {
        let root = tempfile::tempdir().unwrap();
        let group = |path: &str, handed_on: &str| {
            let dir = root.path().join(path);
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join("cgroup.subtree_control"), handed_on).unwrap();
            std::fs::write(dir.join("cgroup.procs"), "").unwrap();
        };
        group("", "cpu memory pids\n");
        group("user", "memory pids\n");
        group("user/app", "pids\n");
        group("user/app/scope", "\n");
        let found = Place::search(root.path(), "user/app/scope").unwrap();
        assert_eq!(found.dir, root.path().join("user/app"));
        assert_eq!((found.memory, found.processes), (false, true));
        assert_eq!(Place::search(&root.path().join("user/app/scope"), ""), None);
    }

    #[test]
    fn a_group_gets_the_limits_that_are_delegated() {
        let root = tempfile::tempdir().unwrap();
        let place = Place {
            dir: root.path().to_owned(),
            memory: true,
            processes: false,
        };
        let id = SessionId::fresh();
        let dir = place.group(&id);
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("cgroup.procs"), "").unwrap();
        let limits = JobLimits {
            memory_bytes: Some(1 << 20),
            processes: Some(7),
            ..JobLimits::default()
        };
        let group = place.create(&id, &limits).unwrap();
        assert_eq!((group.memory, group.processes), (true, false));
        let max = std::fs::read_to_string(dir.join("memory.max")).unwrap();
        assert_eq!(max, "1048576");
        assert!(!dir.join("pids.max").exists());
    }

    #[test]
    fn a_kill_at_the_memory_limit_is_detected() {
        assert!(killed("low 0\noom 1\noom_kill 1\noom_group_kill 0\n"));
        assert!(!killed("low 0\noom 0\noom_kill 0\n"));
        assert!(!killed(""));
    }
}
