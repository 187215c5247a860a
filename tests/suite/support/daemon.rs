//! Daemon and keeper of a home, seen from outside.

use rustix::process::Signal;
use serde_json::json;

use super::process::Held;
use super::{DEADLINE, Serve};

/// Pids of daemon and keeper.
#[track_caller]
pub(crate) fn pids(serve: &mut Serve) -> (u32, u32) {
    let stats = serve.ok(json!({"action": "stats"}));
    let pid = |name: &str| u32::try_from(stats[name].as_u64().unwrap()).unwrap();
    (pid("daemonPid"), pid("keeperPid"))
}

/// Kills the daemon and waits for its end; the next request meets its successor.
#[track_caller]
pub(crate) fn kill(serve: &mut Serve) {
    let daemon = Held::new(pids(serve).0).unwrap();
    daemon.signal(Signal::KILL);
    assert!(daemon.ended(DEADLINE), "it survives SIGKILL");
}

/// Descriptors that a process has open.
pub(crate) fn open_files(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .count()
}

/// Children of a process that have ended and were not waited for.
pub(crate) fn zombies(parent: u32) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let is_zombie = |stat: String| {
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        Some(fields.next()? == "Z" && fields.next()? == parent.to_string())
    };
    stats
        .filter(|stat| is_zombie(stat.clone()) == Some(true))
        .count()
}

/// Resident memory of a process in KiB.
pub(crate) fn memory_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
