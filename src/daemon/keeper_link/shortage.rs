//! Errors for exhausted system limits: which limit it is, how much of it is used, and what to do. Running jobs
//! are not affected.

use serde_json::json;

use super::{KeeperLink, SpawnFailure};
use crate::protocol::error::cut;
use crate::protocol::{Error, ErrorCode};
use crate::sys::limits::{self, Usage};

/// Descriptors that the daemon keeps free for short use: logs, records, and processes that are being ended.
const SPARE_FILES: usize = 16;

/// Descriptors that are to be free when a client connects. Fewer than for a start: a daemon that takes over has the logs of
/// its sessions open for a moment, and must serve the clients that come back to it.
const SPARE_FILES_FOR_CLIENTS: usize = 10;

/// Descriptors that the daemon needs per job.
const FILES_PER_JOB: usize = 3;

/// Numbers of E2BIG, EAGAIN, ENFILE, EMFILE and ENOSPC on Linux; see errno(3).
const TOO_BIG: i32 = 7;
const AGAIN: i32 = 11;
const NFILE: i32 = 23;
const MFILE: i32 = 24;
const NOSPC: i32 = 28;

/// Checks whether enough descriptors are left to serve another client.
pub(crate) fn check_connection() -> Result<(), Error> {
    if limits::has_room(SPARE_FILES_FOR_CLIENTS) {
        Ok(())
    } else {
        Err(open_files(std::process::id()))
    }
}

/// What to do if the arguments are too long. The limits are those of execve(2).
const TOO_LONG: &str = "an argument has less than 128 KiB, and all of them with the environment have a limit, too: \
                        put the text into a file, or type it as input";

/// Maximum number of characters of a command in an error.
const QUOTED: usize = 200;

impl KeeperLink {
    /// Checks whether enough descriptors are left for another job. The keeper creates them, and the daemon
    /// needs room to receive its duplicates.
    pub(crate) fn check_descriptors(&self) -> Result<(), Error> {
        let jobs = self.starting() + 1;
        if limits::has_room(SPARE_FILES + jobs * FILES_PER_JOB) {
            Ok(())
        } else {
            Err(open_files(std::process::id()))
        }
    }

    /// The error of a failed start: the system limit that was reached, or else the system's message.
    pub(crate) fn spawn_failed(&self, command: &str, failure: &SpawnFailure) -> Error {
        if self.is_quitting() {
            // The next daemon is asked again.
            return Error::new(ErrorCode::DaemonUnavailable, failure.message.clone());
        }
        let (errno, message) = (failure.errno, &failure.message);
        let error = self.shortage(failure).unwrap_or_else(|| {
            // A shell line may be too long for the system, and is no path.
            let program = failure.program.as_deref();
            let quoted = cut(program.unwrap_or(command).to_owned(), QUOTED);
            let message = format!("{quoted} could not be started: {message}");
            let error = Error::new(ErrorCode::SpawnFailed, message);
            let error = error.data(json!({ "path": program }));
            match errno {
                Some(TOO_BIG) => error.hint(TOO_LONG),
                _ => error,
            }
        });
        error.add_data("errno", json!(errno))
    }

    /// The system limit because of which a job could not be started, if it was one.
    fn shortage(&self, failure: &SpawnFailure) -> Option<Error> {
        match failure.errno? {
            MFILE => Some(open_files(self.pid())),
            NFILE => {
                let usage = limits::system_files();
                let what = "the system cannot open more files";
                let hint = "end what you do not need; `sysctl fs.file-max` sets the limit";
                Some(exceeded(what, "systemOpenFiles", usage, hint))
            }
            NOSPC if failure.is_terminal => {
                let what = "the system cannot open more terminals (kernel.pty.max)";
                let hint = "end jobs that you do not need, or start this one with pipes \
                            (`mode:\"pipe\"`, `--no-pty`); `sysctl kernel.pty.max` sets the limit";
                Some(exceeded(what, "terminals", limits::terminals(), hint))
            }
            AGAIN => {
                let usage = limits::processes();
                let what = "this user cannot start more processes";
                let hint = "end what you do not need; `ulimit -u` (or the pids.max of a cgroup) \
                            sets the limit";
                Some(exceeded(what, "processes", usage, hint))
            }
            _ => None,
        }
    }
}

/// The error that keeper or daemon (`pid`) cannot open more files.
fn open_files(pid: u32) -> Error {
    let usage = limits::open_files(pid);
    let hint = "end or remove jobs that you do not need, or raise the hard limit (`ulimit -Hn`), \
                which takes effect when bgproc is started anew (after `bgproc daemon stop --kill`)";
    exceeded("bgproc cannot open more files", "openFiles", usage, hint)
}

fn exceeded(what: &str, name: &str, usage: Usage, hint: &str) -> Error {
    let Usage { limit, current } = usage;
    let message = format!("{what}: {current} of {limit} are in use");
    Error::limit(message, name, limit, current).hint(hint)
}
