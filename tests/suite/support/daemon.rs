//! Daemon and keeper of a home, seen from outside.

use std::path::Path;

use rustix::process::Signal;
use serde_json::json;

use super::process::{self, Held, copy_program};
use super::{DEADLINE, Serve, eventually};

/// Pids of daemon and keeper.
#[track_caller]
pub(crate) fn pids(serve: &mut Serve) -> (u32, u32) {
    let stats = serve.ok(json!({"action": "stats"}));
    let pid = |name: &str| u32::try_from(stats[name].as_u64().unwrap()).unwrap();
    (pid("daemonPid"), pid("keeperPid"))
}

/// Kills the daemon, waits for its end and returns its pid; the next request
/// meets its successor.
#[track_caller]
pub(crate) fn kill(serve: &mut Serve) -> u32 {
    let (daemon, _) = pids(serve);
    kill_pid(daemon);
    daemon
}

/// The same of the keeper.
#[track_caller]
pub(crate) fn kill_keeper(serve: &mut Serve) -> u32 {
    let (_, keeper) = pids(serve);
    kill_pid(keeper);
    keeper
}

/// Kills the keeper, and waits until the next one is there.
#[track_caller]
pub(crate) fn replace_keeper(serve: &mut Serve) {
    let old = kill_keeper(serve);
    eventually("the next keeper is there", || {
        (pids(serve).1 != old).then_some(())
    });
}

/// Kills a process that is there, and waits for its end.
#[track_caller]
pub(crate) fn kill_pid(pid: u32) {
    let process = Held::new(pid).unwrap();
    process.signal(Signal::KILL);
    assert!(process.ended(DEADLINE), "it survives SIGKILL");
}

/// Kills daemon and keeper at the same moment, and waits for their ends.
#[track_caller]
pub(crate) fn kill_both(pids: [u32; 2]) {
    let both = pids.map(|pid| Held::new(pid).unwrap());
    // Stopped first: between two signals there is time for a fork.
    for signal in [Signal::STOP, Signal::KILL] {
        for process in &both {
            process.signal(signal);
        }
    }
    assert!(both.iter().all(|process| process.ended(DEADLINE)));
}

/// The daemon of a home, if one is there, without asking it.
pub(crate) fn find(home: &Path) -> Option<Held> {
    let home = format!("BGPROC_HOME={}", home.display());
    // The oldest: what it is just about to start looks like itself.
    process::with_variables(&[&home, "BGPROC_ROLE=daemon"])
}

/// Puts a copy of bgproc at `path`, as an installer does: a new file, renamed.
#[track_caller]
pub(crate) fn install(path: &Path) {
    install_as(Path::new(env!("CARGO_BIN_EXE_bgproc")), path);
}

/// Puts a copy of another program at `path`, as [`install`] does.
#[track_caller]
pub(crate) fn install_as(program: &Path, path: &Path) {
    let beside = path.with_extension("new");
    copy_program(program, &beside);
    std::fs::rename(beside, path).unwrap();
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
    status_kib(pid, "VmRSS:")
}

/// The same without what files have as well: the program and its libraries.
pub(crate) fn anonymous_kib(pid: u32) -> u64 {
    status_kib(pid, "RssAnon:")
}

fn status_kib(pid: u32, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
