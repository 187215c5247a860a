//! Limits of the system, and how much of each is used.

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Resource, getrlimit};

/// A limit and its current use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    /// The limit.
    pub limit: u64,
    /// How much of it is used.
    pub current: u64,
}

/// Whether `count` more descriptors can be opened.
pub fn has_room(count: usize) -> bool {
    match (open_count(), soft_limit(Resource::Nofile)) {
        (Some(open), Some(limit)) => open.saturating_add(count as u64) <= limit,
        _ => can_open(count),
    }
}

/// Number of open descriptors of this process. Linux reports it since 6.2 as the size of `/proc/self/fd`;
/// `None` on older kernels and other systems.
fn open_count() -> Option<u64> {
    let size = rustix::fs::stat("/proc/self/fd").ok()?.st_size;
    u64::try_from(size).ok().filter(|&open| open > 0)
}

/// Opens `count` descriptors to find out, and closes them again.
fn can_open(count: usize) -> bool {
    let mut held = Vec::with_capacity(count);
    for _ in 0..count {
        match fcntl_dupfd_cloexec(rustix::stdio::stdin(), 0) {
            Ok(fd) => held.push(fd),
            Err(_) => return false,
        }
    }
    true
}

/// Open files of a process, with the limit of this process.
pub fn open_files(pid: u32) -> Usage {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    Usage {
        limit: soft_limit(Resource::Nofile).unwrap_or(u64::MAX),
        current: open as u64,
    }
}

/// Open files of the whole system.
pub fn system_files() -> Usage {
    Usage {
        limit: number("/proc/sys/fs/file-max"),
        current: number("/proc/sys/fs/file-nr"),
    }
}

/// Pseudo-terminals of the whole system.
pub fn terminals() -> Usage {
    Usage {
        limit: number("/proc/sys/kernel/pty/max"),
        current: number("/proc/sys/kernel/pty/nr"),
    }
}

/// Processes (strictly, threads) of the current user.
pub fn processes() -> Usage {
    let limit = soft_limit(Resource::Nproc);
    Usage {
        limit: limit.unwrap_or_else(|| number("/proc/sys/kernel/threads-max")),
        current: super::process::threads_of_user(),
    }
}

fn soft_limit(resource: Resource) -> Option<u64> {
    getrlimit(resource).current
}

/// The first number in a file of `/proc`; 0 if there is none.
fn number(path: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_room_uses_up_no_descriptors() {
        // The opposite case is tested with a daemon that has few descriptors: using up those of this
        // process would make other tests fail.
        let open = open_files(std::process::id());
        assert!(open.current > 2 && open.limit > open.current, "{open:?}");
        for _ in 0..open.limit.min(10_000) {
            assert!(has_room(2));
        }
    }

    #[test]
    fn the_count_of_open_descriptors_is_plausible() {
        // Standard input, output and error at least, and not more than the limit.
        let limit = soft_limit(Resource::Nofile).unwrap_or(u64::MAX);
        assert!(open_count().is_none_or(|open| (3..=limit).contains(&open)));
        assert!(can_open(2));
        assert!(!has_room(usize::try_from(limit).unwrap_or(usize::MAX - 1)));
    }

    #[test]
    fn this_user_has_processes_and_the_system_a_limit_for_them() {
        let processes = processes();
        assert!(processes.current > 0 && processes.limit > 0);
        assert!(terminals().limit > 0);
        assert!(system_files().limit > 0);
    }
}
