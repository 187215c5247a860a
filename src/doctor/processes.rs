//! Checks keeper and daemon: whether they run, answer, and have this version.
//!
//! The keeper is asked first, because connecting would start a daemon if none is running.

use std::os::unix::fs::MetadataExt;

use super::{Finding, Repair};
use crate::client::keeper;
use crate::client::{Running, connect_running, greeting};
use crate::protocol::params::Stats;
use crate::protocol::reply::StatsReply;
use crate::protocol::{Action, Error, ErrorCode, KeeperStatus, PROTOCOL, VERSION};
use crate::sys::paths::{Home, own_program};
use crate::sys::process;
use crate::sys::role::{self, ProcessRole};

const SUBJECT: &str = "processes";

/// Longest path of a socket, in bytes; see unix(7).
const MAX_PATH: usize = 107;

pub(super) fn check(home: &Home) -> Vec<Finding> {
    let version = format!("this is bgproc {VERSION}, protocol {PROTOCOL}");
    let mut found = vec![Finding::ok(SUBJECT, version)];
    let pid = |role| role::find(home, role).map(|process| process.pid);
    let (keeper, daemon) = (pid(ProcessRole::Keeper), pid(ProcessRole::Daemon));
    match keeper::ask(home) {
        Ok(Some(status)) => found.extend(kept(home, &status)),
        Ok(None) => found.push(match (keeper, daemon) {
            (None, None) => nobody(home),
            (Some(keeper), None) => Finding::ok(
                SUBJECT,
                format!("keeper (pid {keeper}) runs; the next command starts a daemon"),
            ),
            (_, Some(daemon)) => match keeper::check_daemon_alone(home) {
                Err(error) => problem(error).with_repair(Repair::Continue(daemon)),
                Ok(()) => answer(
                    daemon,
                    "bgproc daemon logs says more; without the keeper, only this daemon holds the jobs: do not kill it",
                ),
            },
        }),
        Err(error) => found.push(match keeper.filter(|pid| process::is_stopped(*pid)) {
            Some(pid) => problem(error).with_repair(Repair::Continue(pid)),
            None => problem(error),
        }),
    }
    let running = [(ProcessRole::Keeper, keeper), (ProcessRole::Daemon, daemon)];
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

/// The findings from the status of a keeper that answers.
fn kept(home: &Home, status: &KeeperStatus) -> Vec<Finding> {
    let (pid, place) = (status.keeper_pid, status.socket.display());
    let text = format!("keeper (pid {pid}) runs and listens at {place}");
    let listens = if status.socket == home.socket() {
        Finding::ok(SUBJECT, text)
    } else {
        let here = home.socket();
        let text = format!(
            "{text}; in this environment that would be {}",
            here.display()
        );
        Finding::ok(SUBJECT, text)
    };
    let daemon = match (keeper::check_daemon(status), status.daemon_pid) {
        (Err(error), Some(pid)) if process::is_stopped(pid) => {
            problem(error).with_repair(Repair::Continue(pid))
        }
        (Err(error), _) => problem(error),
        (Ok(()), Some(pid)) => answer(
            pid,
            &format!(
                "bgproc daemon logs says more; kill -9 {pid} starts another one, jobs keep running"
            ),
        ),
        (Ok(()), None) => Finding::ok(SUBJECT, "no daemon runs; the next command starts one"),
    };
    vec![listens, daemon]
}

fn problem(error: Error) -> Finding {
    let advice = error.hint.clone().unwrap_or_default();
    Finding::problem(SUBJECT, error.message).advise(advice)
}

fn nobody(home: &Home) -> Finding {
    if home.socket().exists() {
        Finding::ok(
            SUBJECT,
            "no daemon runs; a socket is left over, which the next command replaces",
        )
    } else {
        Finding::ok(SUBJECT, "no daemon runs; the next command starts one")
    }
}

/// Whether the daemon answers. `cure` is what to do if it does not.
fn answer(pid: u32, cure: &str) -> Finding {
    let stats = connect_running(&greeting::human()).and_then(|running| match running {
        Running::Yes(mut daemon) => daemon.call_as::<StatsReply>(Action::Stats(Stats {})),
        Running::No(why) => Err(Error::new(ErrorCode::DaemonUnavailable, why)),
    });
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
            if version == VERSION {
                Finding::ok(SUBJECT, text)
            } else {
                Finding::warning(SUBJECT, text)
                    .advise("run bgproc daemon upgrade; jobs keep running")
            }
        }
        Err(error) => {
            Finding::problem(SUBJECT, format!("the daemon (pid {pid}): {error}")).advise(cure)
        }
    }
}

/// A process whose program file is not this one, or has been deleted.
fn replaced(role: ProcessRole, pid: u32) -> Option<Finding> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let path = path.display().to_string();
    let text = match path.strip_suffix(" (deleted)") {
        Some(path) => format!(
            "the program of the {role} (pid {pid}), {path}, was deleted or replaced; the {role} keeps running"
        ),
        None => {
            let running = std::fs::metadata(format!("/proc/{pid}/exe")).ok()?;
            let on_disk = std::fs::metadata(own_program().ok()?).ok()?;
            if (running.dev(), running.ino()) == (on_disk.dev(), on_disk.ino()) {
                return None;
            }
            format!(
                "the {role} (pid {pid}) runs {path}, which is a different file from this bgproc"
            )
        }
    };
    let finding = Finding::warning(SUBJECT, text).advise(
        "run bgproc daemon upgrade to replace keeper and daemon by this bgproc; jobs keep running",
    );
    Some(finding.with_repair(Repair::Upgrade))
}
