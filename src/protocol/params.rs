//! What each action takes. Fields that are absent have their documented default.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::choices::{
    CaptureFormat, Encoding, ExportFormat, KeyInput, LogFormat, ShutdownSessions, SignalName,
    SignalTarget, Stream,
};
use super::condition::{Condition, View, WaitMode, WaitSpec};
use super::record::{Mode, Share};
use super::{EventKind, JobLimits, Probe, RestartPolicy, SessionId, Status};

/// Defines the parameters of an action: strict, camelCase, absent when not set.
/// What is not an `Option` is required.
macro_rules! params {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[$fdoc])*
                #[serde(skip_serializing_if = "Absent::is_absent")]
                pub $field: $type,
            )*
        }
    )*};
}

/// Whether a parameter need not be written: an optional one that is not there. What is required is always written,
/// `false` and 0 too.
trait Absent {
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl Absent for String {}
impl Absent for bool {}
impl Absent for u16 {}
impl Absent for u64 {}
impl<T> Absent for Vec<T> {}
impl Absent for SignalName {}
impl Absent for serde_json::Value {}

params! {
    /// `start`: runs a command.
    Start {
        /// Program, or a shell line when there are no `args`.
        command: String,
        /// Arguments; absent: `command` is run by `/bin/sh -c`.
        args: Option<Vec<String>>,
        /// Working directory.
        cwd: Option<String>,
        /// Variables to set, or to unset (`null`).
        env: Option<BTreeMap<String, Option<String>>>,
        /// PTY (default) or pipes.
        mode: Option<Mode>,
        /// Rows of the terminal (40).
        rows: Option<u16>,
        /// Columns of the terminal (120).
        cols: Option<u16>,
        /// Name for people.
        label: Option<String>,
        /// Refuse if a session of the scope with this label is not over (false).
        unique_label: Option<bool>,
        /// Group for people.
        group: Option<String>,
        /// What it is for.
        description: Option<String>,
        /// Answer as soon as it runs (false).
        background: Option<bool>,
        /// Otherwise wait so long for its end (10,000).
        yield_ms: Option<u64>,
        /// Wait for its end however long (false).
        wait: Option<bool>,
        /// Time limit in seconds; 0: none.
        timeout_sec: Option<u64>,
        /// Time limit in milliseconds; 0: none.
        timeout_ms: Option<u64>,
        /// Time between TERM and KILL at the time limit (5,000).
        timeout_grace_ms: Option<u64>,
        /// How long it is kept after its end and last access (1,800,000).
        ttl_ms: Option<u64>,
        /// Whether it is kept after its end until somebody removes it.
        keep: Option<bool>,
        /// Characters of output in the reply (500).
        max_chars: Option<usize>,
        /// Typed as soon as it runs.
        input: Option<String>,
        /// Idempotency: the same key in the same scope returns the session it made.
        key: Option<String>,
        /// Readiness probe.
        ready: Option<Probe>,
        /// Restart policy.
        restart: Option<RestartPolicy>,
        /// Resource limits.
        limits: Option<JobLimits>,
        /// Shell line to run once it has ended for good.
        on_exit: Option<String>,
    }
    /// `list`: the sessions one can see.
    List {
        /// Only those of this status.
        status: Option<Status>,
        /// Only those of this group.
        group: Option<String>,
        /// Only those whose label matches this glob.
        label: Option<String>,
        /// With the last ten lines of each (false).
        include_output: Option<bool>,
        /// With the ports that each listens on, and their URLs (false).
        include_ports: Option<bool>,
        /// At most so many (200), newest first to stay.
        limit: Option<usize>,
    }
    /// `status`: one session's record.
    StatusParams {
        /// Which session.
        session_id: String,
        /// With process tree, ports, variable names and runs (false).
        detail: Option<bool>,
    }
    /// `poll`: status and output.
    Poll {
        /// Which session.
        session_id: String,
        /// A cursor, or `new`; absent: the last `maxChars`.
        since: Option<String>,
        /// Wait so long for news (0).
        wait_ms: Option<u64>,
        /// Characters of output (500).
        max_chars: Option<usize>,
        /// Only this stream.
        stream: Option<Stream>,
    }
    /// `log`: the output again, by bytes or by lines.
    Log {
        /// Which session.
        session_id: String,
        /// First byte (0).
        offset: Option<u64>,
        /// Bytes at most (65,536).
        limit: Option<u64>,
        /// First line, from 1.
        from_line: Option<u64>,
        /// Lines at most (100).
        lines: Option<u64>,
        /// The last so many lines.
        tail: Option<u64>,
        /// Only this stream.
        stream: Option<Stream>,
        /// Clean text (default), raw bytes with invalid UTF-8 replaced, or base64.
        format: Option<LogFormat>,
        /// Only lines that match this regular expression.
        grep: Option<String>,
        /// Whether case matters to `grep` (it does).
        ignore_case: Option<bool>,
        /// Lines around each match (0).
        context: Option<usize>,
        /// Matches at most (50).
        max_matches: Option<usize>,
        /// Of more matches than that the newest, not the oldest (false).
        newest: Option<bool>,
        /// Only what was written at or after this time.
        since_time: Option<String>,
        /// Only this run.
        run: Option<u32>,
        /// With bytes: also when they were written.
        times: Option<bool>,
        /// Also where what is returned came from: times, streams and runs of bytes, offsets of lines.
        origins: Option<bool>,
    }
    /// `wait`: until something holds.
    Wait {
        /// One session,
        session_id: Option<String>,
        /// or several,
        session_ids: Option<Vec<String>>,
        /// or a group.
        group: Option<String>,
        /// For several: any (default) or all.
        mode: Option<WaitMode>,
        /// Success; absent: exit.
        until: Option<Vec<Condition>>,
        /// Failure.
        fail: Option<Vec<Condition>>,
        /// A cursor; absent: what this scope has not been shown.
        since: Option<String>,
        /// Where patterns are looked for (plain).
        view: Option<View>,
        /// At most so long (10,000).
        timeout_ms: Option<u64>,
        /// Characters of output in the reply (500).
        max_chars: Option<usize>,
        /// Whether to go on waiting where a session ends only because somebody restarts it (false).
        through_restarts: Option<bool>,
    }
    /// `write`: bytes to the program's input.
    Write {
        /// Which session.
        session_id: String,
        /// What to write.
        data: Option<String>,
        /// How `data` is written down (utf8).
        encoding: Option<Encoding>,
        /// End of input after it (false).
        eof: Option<bool>,
        /// A line feed after it (false).
        newline: Option<bool>,
        /// Enter after it, as a write of its own (false).
        submit: Option<bool>,
        /// As a bracketed paste, if the program asked for that (false).
        paste: Option<bool>,
        /// A person's program passes it on, nobody types it: only its length is noted, and it is not waited until it is read (false).
        passed_on: Option<bool>,
        /// Then wait.
        wait: Option<WaitSpec>,
    }
    /// `send_keys`: keys by name.
    SendKeys {
        /// Which session.
        session_id: String,
        /// Key names, or `{"text":…}`.
        keys: Vec<KeyInput>,
        /// How often (1).
        repeat: Option<u32>,
        /// Then wait.
        wait: Option<WaitSpec>,
    }
    /// `capture`: the screen now.
    Capture {
        /// Which session.
        session_id: String,
        /// Text (default), ansi, html, svg or json.
        format: Option<CaptureFormat>,
        /// A `screenSeq`: answer `changed:false` without a picture if it is still that.
        since: Option<u64>,
        /// Lines above the screen (0).
        scrollback: Option<u64>,
        /// Cut blanks at row ends and blank rows at the end (true).
        trim: Option<bool>,
        /// The screen as it was when so many bytes had been written.
        at_offset: Option<u64>,
        /// The screen as it was then.
        at_time: Option<String>,
    }
    /// `export`: the whole log, to keep or to show elsewhere.
    Export {
        /// Which session.
        session_id: String,
        /// Asciicast (default), text, html or raw.
        format: Option<ExportFormat>,
        /// File to write, relative to where the client is; absent: the reply has it.
        path: Option<String>,
    }
    /// `resize`: the size of the terminal.
    Resize {
        /// Which session.
        session_id: String,
        /// Rows.
        rows: u16,
        /// Columns.
        cols: u16,
    }
    /// `signal`: a signal to its processes.
    SignalParams {
        /// Which session.
        session_id: String,
        /// Name or number.
        signal: SignalName,
        /// Foreground group (default), leader, or the whole tree.
        target: Option<SignalTarget>,
    }
    /// `kill`: ends the whole tree.
    Kill {
        /// One session,
        session_id: Option<String>,
        /// or several,
        session_ids: Option<Vec<String>>,
        /// or a group.
        group: Option<String>,
        /// The first signal (TERM).
        signal: Option<SignalName>,
        /// KILL at once (false).
        force: Option<bool>,
        /// Time between the signal and KILL (2,000).
        grace_ms: Option<u64>,
        /// Remove it afterwards (false).
        remove: Option<bool>,
    }
    /// `clear`: forget its output so far.
    Clear {
        /// Which session.
        session_id: String,
    }
    /// `remove`: forget the session.
    Remove {
        /// Which session.
        session_id: String,
        /// End it first if it runs (true).
        kill: Option<bool>,
    }
    /// `restart`: a new run under the same id.
    Restart {
        /// Which session.
        session_id: String,
        /// Time between TERM and KILL (2,000).
        grace_ms: Option<u64>,
        /// Refuse if another session of its scope and label is not over (false).
        unique_label: Option<bool>,
    }
    /// `set`: what can be changed later.
    Set {
        /// Which session.
        session_id: String,
        /// Name for people.
        label: Option<String>,
        /// Refuse if another session of its scope with this label is not over (false).
        unique_label: Option<bool>,
        /// Group for people.
        group: Option<String>,
        /// How long it is kept.
        ttl_ms: Option<u64>,
        /// Time limit in seconds from its start; 0: none.
        timeout_sec: Option<u64>,
        /// Keep it after its TTL.
        keep: Option<bool>,
        /// Open it to agents of other scopes (people only).
        share: Option<Share>,
        /// Restart policy.
        restart: Option<RestartPolicy>,
        /// What its next run runs: a program, or a shell line when there are no
        /// `args` (people only).
        command: Option<String>,
        /// Arguments of that.
        args: Option<Vec<String>>,
    }
    /// `ask_human`: asks a person to type into a session.
    AskHuman {
        /// Which session.
        session_id: String,
        /// What the person is to know or do.
        message: String,
        /// At most so long (300,000).
        timeout_ms: Option<u64>,
    }
    /// `decline`: nobody will answer what is asked about a session (people only).
    Decline {
        /// Which session.
        session_id: String,
    }
    /// `hold`: agents may not type into a session until its person lets go, or leaves
    /// (people only).
    Hold {
        /// Which session.
        session_id: String,
        /// Whether to hold it, or to let go.
        on: bool,
    }
    /// `subscribe`: tell what happens.
    Subscribe {
        /// Only these kinds.
        events: Option<Vec<EventKind>>,
        /// Only these sessions.
        session_ids: Option<Vec<SessionId>>,
        /// From this sequence number on.
        from_seq: Option<u64>,
    }
    /// `unsubscribe`.
    Unsubscribe {
        /// What `subscribe` returned.
        subscription_id: String,
    }
    /// `events`: what has happened, a page at a time.
    Events {
        /// After this number; absent: after what this scope has acknowledged.
        after_seq: Option<u64>,
        /// Wait so long for the first one, in milliseconds (0).
        wait_ms: Option<u64>,
        /// At most so many (100).
        limit: Option<usize>,
        /// Acknowledge everything up to this number first.
        ack: Option<u64>,
    }
    /// `watch`: tell what changes on a screen.
    Watch {
        /// Which session.
        session_id: String,
        /// Frames a second at most (60).
        max_fps: Option<u32>,
    }
    /// `unwatch`.
    Unwatch {
        /// Which session.
        session_id: String,
    }
    /// `cancel`: ends a request in flight.
    Cancel {
        /// Its id.
        request_id: serde_json::Value,
    }
    /// `stats`: the daemon itself.
    Stats {}
    /// `shutdown`: ends the daemon (people only).
    Shutdown {
        /// Whether jobs go on.
        sessions: Option<ShutdownSessions>,
        /// Whether daemon and keeper are to become another program: first the next daemon, and the
        /// keeper once that is up.
        upgrade: Option<bool>,
        /// With `upgrade`: the path of that program, absolute. Left out: the file that the daemon runs.
        program: Option<String>,
    }
}
