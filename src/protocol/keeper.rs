//! The few messages between daemon and keeper, on their socketpair.
//!
//! File descriptors travel beside a message (SCM_RIGHTS), in the order that
//! each message documents.
//!
//! The two may be of different versions. Each passes over messages and fields
//! that it does not know, so a field that is added has a default for those who
//! do not send it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::environment::Environment;
use super::record::Mode;
use super::{Inherit, JobLimits, SessionId, Timestamp};

/// What the keeper is to run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SpawnSpec {
    /// The program as a path, resolved by the daemon.
    pub program: String,
    /// Its arguments, `argv[0]` first.
    pub argv: Vec<String>,
    /// Its working directory; must exist.
    pub cwd: String,
    /// Its whole environment.
    pub env: Environment,
    /// PTY or pipes.
    pub mode: Mode,
    /// Its umask; absent: the keeper's.
    #[serde(default)]
    pub umask: Option<u32>,
    /// Niceness, limits and processors of whoever asked, as far as they are not the keeper's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherit: Option<Box<Inherit>>,
    /// What it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Box<JobLimits>>,
}

/// A session as one process hands it to the next: keeper to daemon, and daemon
/// to a new keeper.
///
/// Fds beside it, each if its flag says so: input (PTY master or stdin pipe),
/// pidfd, the tail, and with pipes one for each open stream.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Which session.
    pub session: SessionId,
    /// Its slot on the shared table.
    pub slot: u32,
    /// Pid of its first process.
    pub pid: u32,
    /// How that ended, if it has.
    pub exit: Option<Exit>,
    /// What it runs.
    pub spec: SpawnSpec,
    /// Bytes of log to keep at least.
    pub keep: u64,
    /// Whether its input follows.
    pub has_input: bool,
    /// Whether its pidfd follows.
    pub has_pidfd: bool,
    /// Whether the memory that holds what its log would not take follows.
    #[serde(default)]
    pub has_tail: bool,
    /// Why its log is not being written, if it is not.
    pub degraded: Option<String>,
    /// Streams that a process still has open (0: stdout or the PTY, 1: stderr).
    pub open: Vec<u8>,
    /// Whether its `onExit` was run after this run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub on_exit_ran: bool,
}

/// Whether a flag is not written, because it is not set.
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

/// Daemon to keeper.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ToKeeper {
    /// First message to a keeper that takes over from one that died. Fds:
    /// listening socket, shared table, both ends of the splice pipe (reading, writing).
    Takeover {
        /// The daemon's pid.
        daemon_pid: u32,
        /// Limit of open files that jobs start with; `None`: no limit.
        files: Option<u64>,
        /// `Adopt` messages that follow.
        sessions: usize,
    },
    /// A session that the keeper before had. Fds: see [`Kept`].
    Adopt(Kept),
    /// The daemon is up; restart it without delay if it dies now.
    Ready,
    /// Run a session's program.
    Spawn {
        /// Which session; its directory exists.
        session: SessionId,
        /// What to run.
        spec: SpawnSpec,
        /// Rows of its terminal.
        rows: u16,
        /// Columns of its terminal.
        cols: u16,
        /// Bytes of log to keep at least; older segments go.
        keep: u64,
    },
    /// Close the keeper's copy of a pipe session's stdin.
    CloseStdin {
        /// Which session.
        session: SessionId,
    },
    /// Drop the output so far: a new segment begins at the end.
    Clear {
        /// Which session.
        session: SessionId,
    },
    /// Run a command after the end of a session, once after each run of it.
    RunOnExit {
        /// Which session.
        session: SessionId,
        /// What to run; without terminal and log.
        spec: SpawnSpec,
        /// It is killed after so many milliseconds.
        within_ms: u64,
    },
    /// Drop the segments of a log that lie wholly before an offset.
    Trim {
        /// Which session.
        session: SessionId,
        /// Kept from here on at least.
        first: u64,
    },
    /// Forget a session that has ended; its files are no longer written.
    Forget {
        /// Which session.
        session: SessionId,
    },
    /// The daemon ends on purpose: start the next one when a client knocks.
    Rest {
        /// That one comes from another program, and once it is up, the keeper becomes that program, too.
        #[serde(default)]
        upgrade: bool,
        /// Which program; absent: the file that the keeper was started from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<PathBuf>,
    },
    /// End the keeper as well; all sessions have ended.
    Quit,
    /// What does a session's program do with its input?
    Look {
        /// Which session.
        session: SessionId,
        /// Named in the answer.
        ask: u64,
    },
}

/// Why the system refused something.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The system's error number, if it was the system.
    pub errno: Option<i32>,
    /// In words.
    pub message: String,
}

/// Keeper to daemon.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ToDaemon {
    /// First message. Fds: listening socket, shared table, both ends of the splice pipe.
    Welcome {
        /// The keeper's pid.
        keeper_pid: u32,
        /// Its version.
        version: String,
        /// Limit of open files that jobs start with; `None`: no limit.
        files: Option<u64>,
        /// Whether an [`Upgraded`](Self::Upgraded) follows.
        #[serde(default)]
        upgrading: bool,
        /// `Adopt` messages that follow.
        sessions: usize,
    },
    /// A session that the keeper has had before this daemon. Fds: see [`Kept`].
    Adopt(Box<Kept>),
    /// The keeper listens with another socket, because the file of the one before was removed. Fd: the new one.
    Listening,
    /// The keeper is the program that it was to become, or why it is not.
    Upgraded {
        /// Its version.
        version: String,
        /// What went wrong; the keeper is the one it was.
        error: Option<String>,
    },
    /// It has taken over: the answer to [`ToKeeper::Takeover`].
    TakenOver {
        /// Its version.
        version: String,
    },
    /// Its program is about to run; said by the new process itself, the moment before that. A keeper that is
    /// killed now leaves a process that is not without a terminal. Its pid is on the shared table. Fds: as of `Spawned`.
    Starting {
        /// Which session.
        session: SessionId,
        /// Its slot on the shared table.
        slot: u32,
        /// Offset of the first byte of this run.
        offset: u64,
    },
    /// It runs. Fds: input (PTY master or stdin pipe), pidfd, and with pipes
    /// stdout and stderr.
    Spawned {
        /// Which session.
        session: SessionId,
        /// Its slot on the shared table.
        slot: u32,
        /// Its pid.
        pid: u32,
        /// Offset of the first byte of this run.
        offset: u64,
    },
    /// It does not.
    SpawnFailed {
        /// Which session.
        session: SessionId,
        /// The system's error number, if it was the system that refused.
        errno: Option<i32>,
        /// In words.
        message: String,
        /// Whether it was its terminal that could not be opened.
        #[serde(default)]
        is_terminal: bool,
    },
    /// These slots have grown since the daemon last looked at them.
    Grown {
        /// Slots on the shared table.
        slots: Vec<u32>,
    },
    /// Its first process has ended; its output up to then is in the log.
    Exited {
        /// Which session.
        session: SessionId,
        /// How.
        exit: Exit,
    },
    /// Its first process was stopped by a signal, or goes on.
    Stopped {
        /// Which session.
        session: SessionId,
        /// Stopped, or going on.
        stopped: bool,
    },
    /// Nobody has its terminal (or output pipes) open any more.
    Closed {
        /// Which session.
        session: SessionId,
    },
    /// The command after its end runs, or has run.
    OnExitBegan {
        /// Which session.
        session: SessionId,
    },
    /// That command has ended, or could not be started.
    OnExitEnded {
        /// Which session.
        session: SessionId,
        /// What went wrong, in words.
        failure: Option<String>,
    },
    /// Its output so far was dropped.
    Cleared {
        /// Which session.
        session: SessionId,
        /// Where its log begins now; `None` if it could not be cleared.
        first: Option<u64>,
        /// Why it could not be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// A session is forgotten: the answer to [`ToKeeper::Forget`]. Nothing is written to its directory any more.
    Forgotten {
        /// Which session.
        session: SessionId,
    },
    /// Its log cannot be written (`Some`), or can be again. Fd: the memory that
    /// holds the newest of it meanwhile, if there is some.
    Degraded {
        /// Which session.
        session: SessionId,
        /// Why.
        reason: Option<String>,
    },
    /// The answer to [`ToKeeper::Look`]. What the program had written before it
    /// began to wait is in the log.
    Seen {
        /// Which session.
        session: SessionId,
        /// As asked.
        ask: u64,
        /// `None` if it does not run, or has no input any more.
        sight: Option<Sight>,
    },
}

/// What the kernel tells of a session's program and its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Sight {
    /// Whether a process that may read it waits for some; `None` if that cannot be told.
    pub reading: Option<bool>,
    /// How its terminal treats what is typed; `None`: its input is a pipe, or unknown.
    pub line: Option<Line>,
    /// Bytes that were typed and not read.
    pub unread: Option<u64>,
}

/// How a terminal treats what is typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// By lines (ICANON).
    pub canonical: bool,
    /// It is shown (ECHO).
    pub echo: bool,
}

/// How a process ended; also the content of `exit.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exit {
    /// Pid it had.
    pub pid: u32,
    /// Exit code, unless a signal ended it. Neither is known of a process that
    /// ended while no parent of it was there, on a kernel that does not tell.
    pub exit_code: Option<i32>,
    /// Number of the signal.
    pub signal: Option<i32>,
    /// Whether it dumped core.
    #[serde(default)]
    pub core_dumped: bool,
    /// When.
    pub ended_at: Timestamp,
    /// Bytes of output at that moment.
    pub end_offset: u64,
    /// Name of the limit that ended it, where the kernel tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}
