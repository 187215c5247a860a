//! When the system has no more of something: which limit it is, how much of it
//! is taken, and what to do. Nothing that runs is touched.

use serde_json::json;

use super::{KeeperLink, SpawnFailure};
use crate::protocol::{Error, ErrorCode};
use crate::sys::limits::{self, Usage};

/// Descriptors that the daemon keeps free for what it opens for a moment: logs,
/// records, processes that are being ended.
const SPARE_FILES: usize = 16;

/// Descriptors of the daemon for one job.
const FILES_PER_JOB: usize = 3;

/// EAGAIN, ENFILE, EMFILE and ENOSPC, as errno(3) numbers them on Linux.
const AGAIN: i32 = 11;
const NFILE: i32 = 23;
const MFILE: i32 = 24;
const NOSPC: i32 = 28;

/// Whether another client can be served with what is left of descriptors.
pub(crate) fn check_connection() -> Result<(), Error> {
    match limits::has_room(SPARE_FILES) {
        true => Ok(()),
        false => Err(open_files(std::process::id())),
    }
}

impl KeeperLink {
    /// Whether another job can be had with what is left of descriptors; its own
    /// are made by the keeper and have to find room here when they come.
    pub(crate) fn check_descriptors(&self) -> Result<(), Error> {
        let jobs = self.starting() + 1;
        match limits::has_room(SPARE_FILES + jobs * FILES_PER_JOB) {
            true => Ok(()),
            false => Err(open_files(std::process::id())),
        }
    }

    /// The error of a start that failed: which limit of the system it met, or else what the system
    /// said.
    pub(crate) fn spawn_failed(&self, command: &str, failure: &SpawnFailure) -> Error {
        let (errno, message) = (failure.errno, &failure.message);
        let error = self.shortage(failure).unwrap_or_else(|| {
            let message = format!("{command} could not be started: {message}");
            Error::new(ErrorCode::SpawnFailed, message).data(json!({ "path": command }))
        });
        error.add_data("errno", json!(errno))
    }

    /// What was missing, if a job could not be started because of a limit.
    fn shortage(&self, failure: &SpawnFailure) -> Option<Error> {
        match failure.errno? {
            MFILE => Some(open_files(self.pid())),
            NFILE => {
                let usage = limits::system_files();
                let what = "the system has no more open files";
                let hint = "end what is not needed; `sysctl fs.file-max` sets the limit";
                Some(exceeded(what, "systemOpenFiles", usage, hint))
            }
            NOSPC if failure.is_terminal => {
                let what = "the system has no more terminals (kernel.pty.max)";
                let hint = "end jobs that are not needed, or start this one with pipes \
                            (`mode:\"pipe\"`, `--no-pty`); `sysctl kernel.pty.max` sets the limit";
                Some(exceeded(what, "terminals", limits::terminals(), hint))
            }
            AGAIN => {
                let usage = limits::processes();
                let what = "the system allows this user no more processes";
                let hint = "end what is not needed; `ulimit -u` (or the pids.max of a cgroup) \
                            sets the limit";
                Some(exceeded(what, "processes", usage, hint))
            }
            _ => None,
        }
    }
}

/// No more files can be opened by a process of bgproc.
fn open_files(pid: u32) -> Error {
    let usage = limits::open_files(pid);
    let hint = "end or remove jobs that are not needed, or raise the hard limit (`ulimit -Hn`), \
                which counts once bgproc was ended (`bgproc daemon stop --kill`)";
    exceeded("bgproc cannot open more files", "openFiles", usage, hint)
}

fn exceeded(what: &str, name: &str, usage: Usage, hint: &str) -> Error {
    let Usage { limit, current } = usage;
    let message = format!("{what}: {current} of {limit} are taken");
    Error::limit(message, name, limit, current).hint(hint)
}
