//! The messages between daemon and keeper, on their socketpair.
//!
//! File descriptors travel with a message (SCM_RIGHTS), in the order that each message documents.
//!
//! Daemon and keeper may be of different versions. Each ignores messages and fields that it does
//! not know, so every added field needs a default.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::environment::Environment;
use super::status::Mode;
use super::{Inherit, JobLimits, Probe, SessionId, Timestamp};

/// A program for the keeper to run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SpawnSpec {
    /// Path of the program, resolved by the daemon.
    pub program: String,
    /// Arguments, starting with `argv[0]`.
    pub argv: Vec<String>,
    /// Working directory, which must exist.
    pub cwd: String,
    /// The complete environment.
    pub env: Environment,
    /// PTY or pipes.
    pub mode: Mode,
    /// Umask; absent: the keeper's.
    #[serde(default)]
    pub umask: Option<u32>,
    /// Niceness, resource limits and processors of the requesting process, where they differ from
    /// the keeper's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherit: Option<Box<Inherit>>,
    /// Resource limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Box<JobLimits>>,
    /// Its probe, if that contains secret values. Like the environment, it is in no file; the keeper keeps it for the next
    /// daemon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<Box<Probe>>,
}

/// A session that one process hands over to another: keeper to daemon, or daemon to a new keeper.
///
/// Descriptors, each only if its flag is set: input (PTY master or stdin pipe), pidfd, the tail,
/// and with pipes one for each open stream.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Id of the session.
    pub session: SessionId,
    /// Its slot in the shared table.
    pub slot: u32,
    /// Pid of its first process.
    pub pid: u32,
    /// How that process ended; `None` if it runs.
    pub exit: Option<Exit>,
    /// What it runs.
    pub spec: SpawnSpec,
    /// Minimum number of log bytes to keep.
    pub keep: u64,
    /// Whether the descriptor of its input follows.
    pub has_input: bool,
    /// Whether its pidfd follows.
    pub has_pidfd: bool,
    /// Whether the descriptor of the tail follows, the memory that holds output which the log did
    /// not accept.
    #[serde(default)]
    pub has_tail: bool,
    /// Why its log is not being written; `None` if it is.
    pub degraded: Option<String>,
    /// Streams that a process still has open (0: stdout or the PTY, 1: stderr).
    pub open: Vec<u8>,
    /// Whether its `onExit` has run after this run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub on_exit_ran: bool,
}

/// Whether a flag is unset, so that serde omits it.
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

/// Messages from daemon to keeper.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ToKeeper {
    /// First message to a keeper that takes over from one that died. Descriptors: listening socket,
    /// shared table, both ends of the splice pipe (reading, writing).
    Takeover {
        /// The daemon's pid.
        daemon_pid: u32,
        /// Limit of open files with which jobs start; `None`: unlimited.
        files: Option<u64>,
        /// Number of `Adopt` messages that follow.
        sessions: usize,
    },
    /// A session that the previous keeper had. Descriptors: see [`Kept`].
    Adopt(Kept),
    /// The daemon has received the greeting, and restores the sessions.
    Greeted,
    /// The daemon is up and has restored all sessions. From now on, restart it without delay if it dies.
    Ready,
    /// Run a session's program.
    Spawn {
        /// Id of the session. Its directory exists.
        session: SessionId,
        /// What to run.
        spec: SpawnSpec,
        /// Rows of its terminal.
        rows: u16,
        /// Columns of its terminal.
        cols: u16,
        /// What is written to its terminal before the program runs: it ends the line and the modes that the run before
        /// has left. A daemon of an older version leaves it out.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reset: String,
        /// Minimum number of log bytes to keep; older segments are deleted.
        keep: u64,
    },
    /// Close the keeper's copy of the stdin pipe.
    CloseStdin {
        /// Id of the session.
        session: SessionId,
    },
    /// Drop the output so far and begin a new segment at its end.
    Clear {
        /// Id of the session.
        session: SessionId,
    },
    /// Run a command after a session's end, once after each run.
    RunOnExit {
        /// Id of the session.
        session: SessionId,
        /// The command, which gets no terminal and no log.
        spec: SpawnSpec,
        /// Time limit after which it is killed, in milliseconds.
        within_ms: u64,
    },
    /// Delete the segments of a log that lie completely before an offset.
    Trim {
        /// Id of the session.
        session: SessionId,
        /// The log is kept from this offset on, or from an earlier one.
        first: u64,
    },
    /// Forget a session that has ended. Its files are no longer written.
    Forget {
        /// Id of the session.
        session: SessionId,
    },
    /// Keep a descriptor for the next daemon, under a name. What had the name before is closed. Without a descriptor
    /// the name is free again. Descriptor: optional.
    Store {
        /// The name.
        name: String,
    },
    /// The daemon ends on purpose. Start the next one when a client connects.
    Rest {
        /// Whether the next daemon is started from another program. Once that daemon is up, the
        /// keeper replaces itself with the same program.
        #[serde(default)]
        upgrade: bool,
        /// Path of that program; absent: the file from which the keeper was started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<PathBuf>,
    },
    /// End the keeper too. All sessions have ended.
    Quit,
    /// The same once no `onExit` command runs or waits. A client that connects before that has the keeper go on. A keeper
    /// that does not know this message must have been told to rest.
    QuitIdle,
    /// Report the input state of a session's program.
    #[serde(rename = "Look")]
    InspectInput {
        /// Id of the session.
        session: SessionId,
        /// Number of the question, repeated in the answer.
        ask: u64,
    },
}

/// An error of the operating system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The error number; `None` if the operating system gave none.
    pub errno: Option<i32>,
    /// Message for people.
    pub message: String,
}

/// Messages from keeper to daemon.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ToDaemon {
    /// First message. Descriptors: listening socket, shared table, both ends of the splice pipe.
    Welcome {
        /// The keeper's pid.
        keeper_pid: u32,
        /// The keeper's version.
        version: String,
        /// Limit of open files with which jobs start; `None`: unlimited.
        files: Option<u64>,
        /// Whether an [`Upgraded`](Self::Upgraded) message follows.
        #[serde(default)]
        upgrading: bool,
        /// Number of `Adopt` messages that follow.
        sessions: usize,
        /// Number of `Stored` messages that follow, before the sessions.
        #[serde(default)]
        stored: usize,
    },
    /// What an earlier daemon has stored. Descriptor: the one that was stored.
    Stored {
        /// The name.
        name: String,
    },
    /// A session that the keeper already had before this daemon. Descriptors: see [`Kept`].
    Adopt(Box<Kept>),
    /// The keeper listens on a new socket, because the file of the previous one was removed.
    /// Descriptor: the new socket.
    Listening,
    /// The result of the keeper's upgrade.
    Upgraded {
        /// The keeper's version.
        version: String,
        /// What failed. The keeper then continues as the old program.
        error: Option<String>,
    },
    /// The keeper has taken over. Answer to [`ToKeeper::Takeover`].
    TakenOver {
        /// The keeper's version.
        version: String,
    },
    /// A program is about to run. The new process itself sends this immediately before, so that a
    /// process whose keeper is killed at this moment keeps its terminal. Its pid is in the shared
    /// table. Descriptors: as for `Spawned`.
    Starting {
        /// Id of the session.
        session: SessionId,
        /// Its slot in the shared table.
        slot: u32,
        /// Offset of the first byte of this run.
        offset: u64,
    },
    /// The program runs. Descriptors: input (PTY master or stdin pipe), pidfd, and with pipes
    /// stdout and stderr.
    Spawned {
        /// Id of the session.
        session: SessionId,
        /// Its slot in the shared table.
        slot: u32,
        /// Its pid.
        pid: u32,
        /// Offset of the first byte of this run.
        offset: u64,
    },
    /// The program could not be started.
    SpawnFailed {
        /// Id of the session.
        session: SessionId,
        /// The error number; `None` if the failure did not come from the operating system.
        errno: Option<i32>,
        /// Message for people.
        message: String,
        /// Whether the terminal could not be opened.
        #[serde(default)]
        is_terminal: bool,
    },
    /// The logs of these slots have grown since the daemon last read them.
    Grown {
        /// Slots in the shared table.
        slots: Vec<u32>,
    },
    /// The session's first process has ended. Its output up to then is in the log.
    Exited {
        /// Id of the session.
        session: SessionId,
        /// How it ended.
        exit: Exit,
    },
    /// The session's first process was stopped by a signal, or continued.
    Stopped {
        /// Id of the session.
        session: SessionId,
        /// True if it was stopped.
        stopped: bool,
    },
    /// No process has the session's terminal (or output pipes) open any more.
    Closed {
        /// Id of the session.
        session: SessionId,
    },
    /// The session's `onExit` command is running, or has already run.
    OnExitBegan {
        /// Id of the session.
        session: SessionId,
    },
    /// The `onExit` command has ended, or could not be started.
    OnExitEnded {
        /// Id of the session.
        session: SessionId,
        /// What failed; `None` if it succeeded.
        failure: Option<String>,
    },
    /// The session's output so far was dropped.
    Cleared {
        /// Id of the session.
        session: SessionId,
        /// First offset of the log; `None` if it could not be cleared.
        first: Option<u64>,
        /// Why it could not be cleared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// A session is forgotten. Answer to [`ToKeeper::Forget`]. Nothing is written to its directory
    /// any more.
    Forgotten {
        /// Id of the session.
        session: SessionId,
    },
    /// The session's log cannot be written (`Some`), or can be written again (`None`). Descriptor:
    /// the memory that holds the newest output meanwhile, if there is any.
    Degraded {
        /// Id of the session.
        session: SessionId,
        /// Why it cannot be written.
        reason: Option<String>,
    },
    /// The input state of a program. Answer to [`ToKeeper::InspectInput`]. Output that the program wrote
    /// before it began to wait is already in the log.
    #[serde(rename = "Seen")]
    InputInspected {
        /// Id of the session.
        session: SessionId,
        /// Number of the question.
        ask: u64,
        /// `None` if the program does not run or its input is closed.
        #[serde(rename = "sight")]
        report: Option<InputReport>,
    },
}

/// What the kernel reports about a session's program and its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct InputReport {
    /// Whether a process that may read the input waits for it; `None` if unknown.
    pub reading: Option<bool>,
    /// Whether it waits in an event loop, that is, for other things as well.
    #[serde(default)]
    pub in_event_loop: bool,
    /// Whether it waits in a read, which ends only with input, and not in a call with a time limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_read: bool,
    /// Modes of the terminal; `None` if the input is a pipe, or unknown.
    pub line: Option<LineModes>,
    /// Bytes that were typed and not read yet.
    pub unread: Option<u64>,
}

/// Modes of a terminal's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineModes {
    /// Whether input is read by lines (ICANON).
    pub canonical: bool,
    /// Whether typed text is echoed (ECHO).
    pub echo: bool,
}

/// How a process ended. Also the content of `exit.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exit {
    /// Pid of the process.
    pub pid: u32,
    /// Exit code; `None` after a signal. Code and signal are both `None` if the process ended
    /// without a parent to reap it, on a kernel that does not report the exit code otherwise.
    pub exit_code: Option<i32>,
    /// Number of the signal that ended it.
    pub signal: Option<i32>,
    /// Whether it dumped core.
    #[serde(default)]
    pub core_dumped: bool,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Bytes of output at that moment.
    pub end_offset: u64,
    /// Name of the limit that ended it, if the kernel reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Whether it died of SIGKILL, and the kernel has killed a process of the machine for lack of memory while it
    /// ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub out_of_memory: bool,
}
