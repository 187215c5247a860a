//! Keeper and daemon: whether they run, answer, and are this version.
//!
//! Connecting would wake a daemon that rests. So the processes are looked for
//! first, by the file that their stderr is, which is one of this home alone.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Finding;
use crate::client::{AutoStart, connect, greeting};
use crate::protocol::params::Stats;
use crate::protocol::reply::StatsReply;
use crate::protocol::{Action, PROTOCOL, VERSION};
use crate::sys::paths::{Home, own_program};

const SUBJECT: &str = "processes";

/// Longest name of a socket (unix(7)).
const MAX_PATH: usize = 107;

pub(super) fn check(home: &Home) -> Vec<Finding> {
    let version = format!("this is bgproc {VERSION}, protocol {PROTOCOL}");
    let mut found = vec![Finding::ok(SUBJECT, version)];
    let (keeper, daemon) = (find(home, "keeper"), find(home, "daemon"));
    match (keeper, daemon) {
        (None, None) => found.push(nobody(home)),
        (Some(keeper), None) => {
            let text = format!("keeper (pid {keeper}) runs; the next command starts a daemon");
            found.push(Finding::ok(SUBJECT, text));
        }
        (_, Some(daemon)) => found.push(answer(daemon)),
    }
    let running = [("keeper", keeper), ("daemon", daemon)];
    found.extend(
        running
            .into_iter()
            .filter_map(|(role, pid)| replaced(role, pid?)),
    );
    let length = home.socket().as_os_str().len();
    if length > MAX_PATH {
        let text = format!(
            "the path of the socket has {length} bytes; programs other than bgproc reach at most {MAX_PATH}"
        );
        found.push(Finding::warning(SUBJECT, text).advise("use a shorter BGPROC_HOME"));
    }
    found
}

fn nobody(home: &Home) -> Finding {
    match home.socket().exists() {
        true => Finding::ok(
            SUBJECT,
            "no daemon runs; a socket is left over, which the next command replaces",
        ),
        false => Finding::ok(SUBJECT, "no daemon runs; the next command starts one"),
    }
}

fn answer(pid: u32) -> Finding {
    let stats = connect(&greeting::human(), AutoStart::No)
        .and_then(|mut daemon| daemon.call_as::<StatsReply>(Action::Stats(Stats {})));
    match stats {
        Ok(stats) if stats.protocol != PROTOCOL => {
            let (version, protocol) = (stats.version, stats.protocol);
            let text = format!("the daemon (pid {pid}) is bgproc {version}, protocol {protocol}");
            Finding::problem(SUBJECT, text).advise("bgproc daemon upgrade; jobs keep running")
        }
        Ok(stats) => {
            let (version, keeper) = (stats.version, stats.keeper_pid);
            let text =
                format!("daemon (pid {pid}, bgproc {version}) answers; keeper is pid {keeper}");
            match version == VERSION {
                true => Finding::ok(SUBJECT, text),
                false => Finding::warning(SUBJECT, text)
                    .advise("bgproc daemon upgrade makes it this version; jobs keep running"),
            }
        }
        Err(error) => {
            Finding::problem(SUBJECT, format!("the daemon (pid {pid}): {error}")).advise(format!(
                "bgproc daemon logs says more; kill -9 {pid} starts another one, jobs keep running"
            ))
        }
    }
}

/// A process that still runs a program whose file has been replaced.
fn replaced(role: &str, pid: u32) -> Option<Finding> {
    let running = std::fs::metadata(format!("/proc/{pid}/exe")).ok()?;
    let on_disk = std::fs::metadata(own_program().ok()?).ok()?;
    if (running.dev(), running.ino()) == (on_disk.dev(), on_disk.ino()) {
        return None;
    }
    let text = format!("the {role} (pid {pid}) runs another program file than this bgproc");
    Some(Finding::warning(SUBJECT, text).advise("bgproc daemon upgrade; jobs keep running"))
}

/// The process of this home with that role.
fn find(home: &Home, role: &str) -> Option<u32> {
    let logs = [home.diagnostics(role), home.older_diagnostics(role)];
    let logs: Vec<_> = logs.iter().filter_map(id).collect();
    let pids = std::fs::read_dir("/proc").ok()?.flatten();
    let mut pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let proc = PathBuf::from(format!("/proc/{pid}"));
        let line = std::fs::read(proc.join("cmdline")).unwrap_or_default();
        line == format!("bgproc\0{role}\0").as_bytes()
            && id(proc.join("fd/2")).is_some_and(|stderr| logs.contains(&stderr))
    })
}

fn id(path: impl AsRef<Path>) -> Option<(u64, u64)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}
