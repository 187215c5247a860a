//! Parameters of each action. Absent fields have the default given in parentheses.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch_job::{Launcher, Resources};
use super::bounds;
pub use super::choices::{
    CaptureFormat, Click, Encoding, ExportFormat, KeyInput, LogFormat, MouseButton, PolledStream,
    ProjectOp, Scroll, ShellLanguage, ShutdownSessions, SignalName, SignalTarget, Stream,
};
use super::colors::TerminalColors;
use super::condition::{Condition, View, WaitMode, WaitSpec};
use super::project::{After, OnFailure};
use super::record::Share;
use super::report::Activity;
use super::status::Mode;
use super::{EventKind, JobLimits, Notice, Probe, RestartPolicy, Status, variables};

/// Defines the parameters of an action: strict, camelCase, and omitted when not set. Fields that
/// are not an `Option` are required.
macro_rules! params {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        $(#[$doc])*
        pub struct $name {
            $(
                $(#[$fdoc])*
                #[serde(skip_serializing_if = "Absent::is_absent")]
                pub $field: $type,
            )*
        }
    )*};
}

/// Whether a parameter may be omitted from the output: an optional one without a value. Required
/// ones are always written, even if they are `false` or 0.
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
    #[schemars(extend("allOf" = bounds::of_start()))]
    Start {
        /// Program, or a shell line if there are no `args`.
        #[schemars(regex(pattern = bounds::NOT_BLANK))]
        command: String,
        /// Arguments; absent: `command` is run by the shell.
        args: Option<Vec<String>>,
        /// The shell that runs `command` with `-c`: a name or path (`/bin/sh`; on a lean
        /// connection bash, if there is one).
        shell: Option<String>,
        /// Whether pagers and editors stay as the environment has them (true; on a lean connection
        /// false: they end by themselves, and `git rebase -i` fails).
        pagers: Option<bool>,
        /// Working directory.
        cwd: Option<String>,
        /// Variables to set; `null` unsets one. A number, `true` and `false` stand for their text.
        #[serde(default, deserialize_with = "variables::as_texts")]
        #[schemars(with = "Option<BTreeMap<String, Option<variables::EnvValue>>>")]
        env: Option<BTreeMap<String, Option<String>>>,
        /// PTY (default) or pipes.
        mode: Option<Mode>,
        /// Rows of the terminal (40).
        #[schemars(range(min = bounds::LEAST_SIDE, max = bounds::MAX_SIDE))]
        rows: Option<u16>,
        /// Columns of the terminal (120).
        #[schemars(range(min = bounds::LEAST_SIDE, max = bounds::MAX_SIDE))]
        cols: Option<u16>,
        /// Name for people.
        label: Option<String>,
        /// Refuse if an unfinished session of the scope has this label (false).
        unique_label: Option<bool>,
        /// Group for people.
        group: Option<String>,
        /// Tags, to select sessions by.
        #[schemars(inner(regex(pattern = bounds::NOT_BLANK)))]
        tags: Option<Vec<String>>,
        /// Purpose of the session.
        description: Option<String>,
        /// Answer as soon as it runs (false).
        background: Option<bool>,
        /// Otherwise answer when there is something to do, at most this many milliseconds later
        /// (10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Former name of `waitMs`.
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        yield_ms: Option<u64>,
        /// Wait for its end without a time limit (false).
        wait: Option<bool>,
        /// Time limit in seconds; 0: none.
        timeout_sec: Option<u64>,
        /// Time limit in milliseconds; 0: none.
        timeout_ms: Option<u64>,
        /// Time between TERM and KILL at the time limit, in milliseconds (5,000).
        timeout_grace_ms: Option<u64>,
        /// How long it is kept after its end and last access, in milliseconds (1,800,000).
        ttl_ms: Option<u64>,
        /// Whether to keep it after its end until it is removed.
        keep: Option<bool>,
        /// Otherwise return when any of these holds; absent or empty: when there is something to do.
        until: Option<Vec<Condition>>,
        /// Also return, as failed, when any of these holds.
        fail: Option<Vec<Condition>>,
        /// The view in which patterns are searched (plain); `screen` adds the screen to the reply.
        view: Option<View>,
        /// Maximum number of characters of output in the reply (500).
        #[schemars(range(max = bounds::MAX_CHARS))]
        max_chars: Option<usize>,
        /// Text to type as soon as it runs.
        input: Option<String>,
        /// Idempotency key: a repetition with the same key in the same scope returns the existing
        /// session.
        key: Option<String>,
        /// Readiness probe.
        ready: Option<Probe>,
        /// Restart policy.
        restart: Option<RestartPolicy>,
        /// Resource limits.
        limits: Option<JobLimits>,
        /// The batch system that runs it, in place of this machine: a name of `[launchers]`, or `slurm`.
        launcher: Option<Launcher>,
        /// What it asks of the batch system.
        resources: Option<Resources>,
        /// Shell line to run after its final end.
        on_exit: Option<String>,
        /// Sessions after which it starts; until then it is `queued`.
        after: Option<Vec<After>>,
        /// Start it only after so many milliseconds; until then it is `queued`.
        #[schemars(range(max = bounds::MAX_DELAY_MS))]
        delay_ms: Option<u64>,
        /// Of what people are notified, besides what they are told anyway.
        notify: Option<Vec<Notice>>,
        /// Shell line that continues it after it was lost.
        #[schemars(regex(pattern = bounds::NOT_BLANK))]
        resume: Option<String>,
        /// Host on which it runs; absent: this machine.
        host: Option<String>,
    }
    /// `list`: the sessions that the client may see.
    List {
        /// Only sessions with this status.
        status: Option<Status>,
        /// Only sessions of this group.
        group: Option<String>,
        /// Only sessions with this tag.
        tag: Option<String>,
        /// Only sessions whose label matches this glob.
        label: Option<String>,
        /// Include the last ten lines of each (false).
        include_output: Option<bool>,
        /// Include the ports on which each listens, and their URLs (false).
        include_ports: Option<bool>,
        /// Maximum number of sessions; the newest are returned (200).
        limit: Option<usize>,
        /// On a lean connection: include all fields (false).
        verbose: Option<bool>,
        /// Only sessions of these hosts; `local` is this machine. Absent: of all that the client may reach.
        hosts: Option<Vec<String>>,
        /// How long to wait for the answers of hosts, in milliseconds (300). The last known sessions of a host that
        /// does not answer are returned with `seenAt`.
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        host_wait_ms: Option<u64>,
    }
    /// `hosts`: the hosts that the client may reach, and how they are connected.
    Hosts {}
    /// `connect`: connects a host now (people only).
    Connect {
        /// Name of the host.
        host: String,
    }
    /// `disconnect`: ends the connection to a host. Its sessions go on (people only).
    Disconnect {
        /// Name of the host.
        host: String,
    }
    /// `status`: one session's record.
    StatusParams {
        /// Id of the session.
        session_id: String,
        /// Include process tree, ports, variable names and runs (false).
        detail: Option<bool>,
        /// With `detail`, return all variables that it was given, with their values as they are, and not only
        /// those that were set for it (false). For people only.
        full_env: Option<bool>,
    }
    /// `poll`: status and output.
    Poll {
        /// Id of the session.
        session_id: String,
        /// A cursor, or `new`; absent: the last `maxChars`.
        #[schemars(regex(pattern = bounds::CURSOR))]
        since: Option<String>,
        /// How long to wait for something new, in milliseconds (0).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Maximum number of characters of output (500).
        #[schemars(range(max = bounds::MAX_CHARS))]
        max_chars: Option<usize>,
        /// If there is more output, return the oldest and leave the rest to the next request.
        /// `maxChars` then counts bytes of the log (false).
        oldest: Option<bool>,
        /// Only this stream.
        #[schemars(with = "Option<PolledStream>")]
        stream: Option<Stream>,
    }
    /// `log`: stored output, by bytes or by lines.
    #[schemars(extend("allOf" = bounds::of_log()))]
    Log {
        /// One session,
        session_id: Option<String>,
        /// or, with `grep`, `tail` or `lines`, several,
        #[schemars(length(min = 1))]
        session_ids: Option<Vec<String>>,
        /// or a group; absent: all sessions that the client sees.
        group: Option<String>,
        /// First byte (0).
        offset: Option<u64>,
        /// Maximum number of bytes (65,536).
        #[schemars(range(min = 1, max = bounds::MAX_LOG_BYTES))]
        limit: Option<u64>,
        /// First line, counted from 1.
        from_line: Option<u64>,
        /// Maximum number of lines (100).
        #[schemars(range(min = 1, max = bounds::MAX_LINES))]
        lines: Option<u64>,
        /// Return this many of the last lines.
        #[schemars(range(min = 1, max = bounds::MAX_LINES))]
        tail: Option<u64>,
        /// Only this stream.
        stream: Option<Stream>,
        /// Clean text (default), raw bytes with invalid UTF-8 replaced, or base64.
        format: Option<LogFormat>,
        /// Only lines that match this regular expression.
        grep: Option<String>,
        /// With `grep`: ignore case (false).
        ignore_case: Option<bool>,
        /// With `grep`: number of lines around each match (0).
        #[schemars(range(max = bounds::MAX_CONTEXT))]
        context: Option<usize>,
        /// With `grep`: maximum number of matches (50).
        #[schemars(range(min = 1, max = bounds::MAX_MATCHES))]
        max_matches: Option<usize>,
        /// With `grep`: if there are more matches than `maxMatches`, return the newest ones and not the
        /// oldest (false).
        newest: Option<bool>,
        /// Only output written at or after this time: `2026-11-21T20:00:00Z`, or `10m` for ten minutes ago.
        since_time: Option<String>,
        /// Only this run.
        run: Option<u32>,
        /// Only the output of a command that the session's shell ran (OSC 133): 1 is the last one, 2 the one
        /// before.
        #[schemars(range(min = 1))]
        command: Option<usize>,
        /// With bytes: include the times at which they were written.
        times: Option<bool>,
        /// Include where the output came from: times, streams and runs for bytes, offsets for
        /// lines.
        origins: Option<bool>,
    }
    /// `wait`: waits for conditions.
    #[schemars(extend("allOf" = bounds::of_wait()))]
    Wait {
        /// One session,
        session_id: Option<String>,
        /// or several,
        #[schemars(length(min = 1))]
        session_ids: Option<Vec<String>>,
        /// or a group.
        group: Option<String>,
        /// For several sessions: any (default) or all.
        mode: Option<WaitMode>,
        /// The wait succeeds if any of these holds; absent or empty: exit.
        until: Option<Vec<Condition>>,
        /// The wait fails if any of these holds.
        fail: Option<Vec<Condition>>,
        /// A cursor; absent: the output that this scope has not been shown.
        #[schemars(regex(pattern = bounds::CURSOR))]
        since: Option<String>,
        /// The view in which patterns are searched (plain); `screen` adds the screen to the reply.
        view: Option<View>,
        /// How long to wait, in milliseconds (10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Former name of `waitMs`.
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        timeout_ms: Option<u64>,
        /// Maximum number of characters of output in the reply (500).
        #[schemars(range(max = bounds::MAX_CHARS))]
        max_chars: Option<usize>,
        /// Continue to wait if a session ends only because it is being restarted (false).
        through_restarts: Option<bool>,
    }
    /// `write`: writes bytes to the program's input.
    #[schemars(extend("allOf" = bounds::of_write()))]
    Write {
        /// Id of the session.
        session_id: String,
        /// Data to write.
        data: Option<String>,
        /// Encoding of `data` (utf8).
        encoding: Option<Encoding>,
        /// Then signal the end of input (false).
        eof: Option<bool>,
        /// Then write a line feed (false).
        newline: Option<bool>,
        /// Then send Enter, as a separate write (false).
        submit: Option<bool>,
        /// Write it as a bracketed paste if the program has requested that mode (false).
        paste: Option<bool>,
        /// The data is forwarded by a person's program and not typed: only its length is logged,
        /// and the reply does not wait until it is read (false).
        passed_on: Option<bool>,
        /// Then wait for any of these; absent or empty: until there is something to do.
        until: Option<Vec<Condition>>,
        /// Also return, as failed, when any of these holds.
        fail: Option<Vec<Condition>>,
        /// How long to wait, in milliseconds (10,000 with conditions, else 0; on a lean connection
        /// always 10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// `screen`: then wait until there is something to do, and add the screen to the reply.
        view: Option<View>,
        /// The same as `until`, `fail` and `waitMs`, with the other parameters of `wait`.
        wait: Option<WaitSpec>,
    }
    /// `send_keys`: types keys by name.
    #[schemars(extend("allOf" = bounds::of_keys()))]
    SendKeys {
        /// Id of the session.
        session_id: String,
        /// Key names, `{"text":…}`, `{"click":…}` or `{"scroll":…}`.
        keys: Vec<KeyInput>,
        /// Number of repetitions (1).
        #[schemars(range(max = bounds::MAX_REPEAT))]
        repeat: Option<u32>,
        /// Then wait for any of these; absent or empty: until there is something to do.
        until: Option<Vec<Condition>>,
        /// Also return, as failed, when any of these holds.
        fail: Option<Vec<Condition>>,
        /// How long to wait, in milliseconds (10,000 with conditions, else 0; on a lean connection
        /// always 10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// `screen`: then wait until there is something to do, and add the screen to the reply.
        view: Option<View>,
        /// The same as `until`, `fail` and `waitMs`, with the other parameters of `wait`.
        wait: Option<WaitSpec>,
    }
    /// `exec`: runs a command in the shell that a session runs.
    #[schemars(extend("allOf" = bounds::of_exec()))]
    Exec {
        /// Id of the session.
        session_id: String,
        /// The command, of one line or several.
        #[schemars(regex(pattern = bounds::NOT_BLANK))]
        command: Option<String>,
        /// Or the `pending` of an earlier reply: goes on waiting for that command.
        #[schemars(regex(pattern = bounds::PENDING))]
        pending: Option<String>,
        /// The language of the shell; absent: the one of the program in the foreground.
        language: Option<ShellLanguage>,
        /// How long to wait for its end, in milliseconds (10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Maximum number of characters of output in the reply (500).
        #[schemars(range(max = bounds::MAX_CHARS))]
        max_chars: Option<usize>,
    }
    /// `capture`: the current screen.
    #[schemars(extend("allOf" = bounds::of_capture()))]
    Capture {
        /// Id of the session.
        session_id: String,
        /// Text (default), ansi, html, svg or json.
        format: Option<CaptureFormat>,
        /// A `screenSeq`: if the screen has not changed since, answer `changed:false` without
        /// content.
        since: Option<u64>,
        /// Number of lines above the screen to include (0).
        #[schemars(range(max = bounds::MAX_SCROLLBACK))]
        scrollback: Option<u64>,
        /// Cut blanks at row ends and blank rows at the end (true).
        trim: Option<bool>,
        /// Also list the links on the screen (false).
        links: Option<bool>,
        /// Return the screen as it was after this many bytes of output.
        at_offset: Option<u64>,
        /// Return the screen as it was at this time.
        at_time: Option<String>,
    }
    /// `export`: the whole log in another format.
    Export {
        /// Id of the session.
        session_id: String,
        /// Asciicast (default), text, html or raw.
        format: Option<ExportFormat>,
        /// File to write, relative to the client's directory; absent: the reply contains the data.
        path: Option<String>,
    }
    /// `resize`: sets the size of the terminal.
    Resize {
        /// Id of the session.
        session_id: String,
        /// Rows.
        #[schemars(range(min = bounds::LEAST_SIDE, max = bounds::MAX_SIDE))]
        rows: u16,
        /// Columns.
        #[schemars(range(min = bounds::LEAST_SIDE, max = bounds::MAX_SIDE))]
        cols: u16,
    }
    /// `signal`: sends a signal to the session's processes.
    SignalParams {
        /// Id of the session.
        session_id: String,
        /// Name or number of the signal.
        signal: SignalName,
        /// Foreground group (default), leader, or the whole tree.
        target: Option<SignalTarget>,
    }
    /// `kill`: ends the whole process tree.
    #[schemars(extend("allOf" = bounds::of_kill()))]
    Kill {
        /// One session,
        session_id: Option<String>,
        /// or several,
        #[schemars(length(min = 1))]
        session_ids: Option<Vec<String>>,
        /// or a group.
        group: Option<String>,
        /// The first signal (TERM).
        signal: Option<SignalName>,
        /// Send KILL at once (false).
        force: Option<bool>,
        /// Time between the first signal and KILL, in milliseconds (2,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        grace_ms: Option<u64>,
        /// Remove the session afterwards (false).
        remove: Option<bool>,
    }
    /// `clear`: drops the output so far.
    Clear {
        /// Id of the session.
        session_id: String,
    }
    /// `remove`: removes the session.
    Remove {
        /// Id of the session.
        session_id: String,
        /// End it first if it is running (true).
        kill: Option<bool>,
    }
    /// `restart`: starts a new run under the same id.
    Restart {
        /// Id of the session.
        session_id: String,
        /// Time between TERM and KILL, in milliseconds (2,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        grace_ms: Option<u64>,
        /// Refuse if another unfinished session of its scope has its label (false).
        unique_label: Option<bool>,
        /// If it was lost: run the line that continues it, if it has one (false).
        resume: Option<bool>,
        /// Environment variables to set for this run and those after it; `null` removes one.
        env: Option<BTreeMap<String, Option<String>>>,
        /// Then wait for any of these, as `start` does.
        until: Option<Vec<Condition>>,
        /// Also return, as failed, when any of these holds.
        fail: Option<Vec<Condition>>,
        /// How long to wait, in milliseconds (10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
    }
    /// `set`: changes properties of a session.
    #[schemars(extend("allOf" = bounds::of_set()))]
    Set {
        /// Id of the session.
        session_id: String,
        /// Name for people.
        label: Option<String>,
        /// Refuse if another unfinished session of its scope has this label (false).
        unique_label: Option<bool>,
        /// Group for people.
        group: Option<String>,
        /// Tags to add.
        #[schemars(inner(regex(pattern = bounds::NOT_BLANK)))]
        add_tags: Option<Vec<String>>,
        /// Tags to remove.
        remove_tags: Option<Vec<String>>,
        /// How long it is kept after its end and last access, in milliseconds.
        ttl_ms: Option<u64>,
        /// Time limit in seconds from its start; 0: none.
        timeout_sec: Option<u64>,
        /// Whether to keep it after its TTL.
        keep: Option<bool>,
        /// Share it with agents of other scopes (people only).
        share: Option<Share>,
        /// Restart policy.
        restart: Option<RestartPolicy>,
        /// Of what people are notified; an empty list: of nothing more than of any session.
        notify: Option<Vec<Notice>>,
        /// What its next run runs: a program, or a shell line if there are no `args` (people only).
        command: Option<String>,
        /// Arguments of `command`.
        args: Option<Vec<String>>,
        /// Its place among those that wait in its queue, from 1 (people only).
        place: Option<u32>,
    }
    /// `queue`: shows queues, or changes one (people only).
    #[schemars(extend("allOf" = bounds::of_queue()))]
    Queue {
        /// The queue. Sessions that are started into the group of this name run in it.
        group: Option<String>,
        /// How many of its sessions run at once; 0: it is no queue any more, and all start.
        #[schemars(range(max = bounds::MAX_PARALLEL))]
        parallel: Option<u32>,
        /// What a failed session does to it (continue).
        on_failure: Option<OnFailure>,
        /// Whether it starts nothing.
        paused: Option<bool>,
        /// A directory: queues of the projects around it come first (the client's directory).
        dir: Option<String>,
    }
    /// `listeners`: the processes that belong to no session and listen on ports.
    Listeners {
        /// The ports in question (those that jobs of projects have reserved).
        ports: Option<Vec<u16>>,
    }
    /// `report`: says how the program of a session is doing, in its own words.
    #[schemars(extend("allOf" = bounds::of_report()))]
    Report {
        /// Id of the session.
        session_id: String,
        /// How it is doing.
        state: Option<Activity>,
        /// Words about that. The first 200 characters are kept, and what looks secret is masked.
        #[schemars(length(max = bounds::MAX_MESSAGE), regex(pattern = bounds::NOT_BLANK))]
        message: Option<String>,
        /// Forget what was reported, so that only the kernel and the output count.
        clear: Option<bool>,
        /// Shell line that continues it after it was lost.
        #[schemars(regex(pattern = bounds::NOT_BLANK))]
        resume: Option<String>,
    }
    /// `ask_human`: asks a person to type into a session.
    AskHuman {
        /// Id of the session.
        session_id: String,
        /// What the person needs to know or do.
        #[schemars(length(max = bounds::MAX_MESSAGE), regex(pattern = bounds::NOT_BLANK))]
        message: String,
        /// Time limit in milliseconds (300,000).
        #[schemars(range(max = bounds::MAX_ASK_MS))]
        timeout_ms: Option<u64>,
    }
    /// `decline`: declines the questions about a session (people only).
    Decline {
        /// Id of the session.
        session_id: String,
    }
    /// `hold`: keeps agents from typing into a session until the person releases it or disconnects
    /// (people only).
    Hold {
        /// Id of the session.
        session_id: String,
        /// True to hold the keyboard, false to release it.
        on: bool,
    }
    /// `subscribe`: sends events.
    Subscribe {
        /// Only these kinds.
        events: Option<Vec<EventKind>>,
        /// Only these sessions: ids or labels.
        session_ids: Option<Vec<String>>,
        /// First replay the events from this sequence number on.
        from_seq: Option<u64>,
        /// Whether events name the scope of their session (false).
        with_scope: Option<bool>,
    }
    /// `unsubscribe`: ends a subscription.
    Unsubscribe {
        /// The id that `subscribe` returned.
        subscription_id: String,
    }
    /// `events`: past events, in pages.
    Events {
        /// Return events after this number; absent: after the last one that this scope has
        /// acknowledged.
        after_seq: Option<u64>,
        /// How long to wait for the first event, in milliseconds (0).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Maximum number of events (100).
        limit: Option<usize>,
        /// First acknowledge everything up to this number.
        ack: Option<u64>,
        /// Only what the scope of these sessions has not been told by a reply: ends, readiness, and
        /// input that is needed now. It counts as acknowledged (false).
        news: Option<bool>,
    }
    /// `watch`: sends the changes of a screen.
    Watch {
        /// Id of the session.
        session_id: String,
        /// Maximum number of frames per second (60).
        #[schemars(range(min = 1, max = bounds::MAX_FPS))]
        max_fps: Option<u32>,
        /// The colours of the terminal in which the screen is shown.
        colors: Option<TerminalColors>,
    }
    /// `unwatch`: stops sending the changes of a screen.
    Unwatch {
        /// Id of the session.
        session_id: String,
    }
    /// `project`: the jobs of a project file.
    #[schemars(extend("allOf" = bounds::of_project()))]
    Project {
        /// What to do (status).
        op: Option<ProjectOp>,
        /// Directory from which the project file is looked for upwards (the client's directory).
        dir: Option<String>,
        /// Project files to use instead, merged in this order.
        #[schemars(length(min = 1))]
        files: Option<Vec<String>>,
        /// Jobs by name, pattern, `g:GROUP` or `+TAG`; absent: those that start by themselves. `down` ends all jobs.
        #[schemars(length(min = 1))]
        jobs: Option<Vec<String>>,
        /// `up` and `plan`: of these jobs, leave out those that are named so.
        #[schemars(length(min = 1))]
        except: Option<Vec<String>>,
        /// Base port of a Procfile.
        #[schemars(range(min = 1))]
        port: Option<u16>,
        /// Number of instances of the entries of a Procfile, as `all=1,worker=2`.
        #[schemars(regex(pattern = bounds::FORMATION))]
        formation: Option<String>,
        /// `up`: leave out what the jobs need (false).
        no_deps: Option<bool>,
        /// `up`: bring the whole project down when one of its services ends or a task fails (false). It holds until
        /// `down`.
        all_or_none: Option<bool>,
        /// `up` and `plan`: restart jobs whose definition has changed (false).
        apply: Option<bool>,
        /// `plan`: say what `reload` would change instead of `up` (false).
        reload: Option<bool>,
        /// `up` and `reload`: stop jobs that are not in the file any more (false).
        prune: Option<bool>,
        /// `down`: send KILL at once (false).
        now: Option<bool>,
        /// `status`: wait until something has changed since this `seq`.
        after: Option<u64>,
        /// How long to wait until every wanted job has settled, in milliseconds (`up`, `down` and `reload`: 10,000;
        /// else 0).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
    }
    /// `cancel`: cancels a request in flight.
    Cancel {
        /// Id of the request.
        request_id: serde_json::Value,
    }
    /// `stats`: statistics of the daemon.
    Stats {}
    /// `shutdown`: ends the daemon (people only).
    Shutdown {
        /// Whether running sessions are kept or killed.
        sessions: Option<ShutdownSessions>,
        /// Whether to upgrade daemon and keeper to another program: first the next daemon is
        /// started from it, then the keeper replaces itself.
        upgrade: Option<bool>,
        /// With `upgrade`: absolute path of that program; absent: the file that the daemon runs.
        program: Option<String>,
    }
}

impl Queue {
    /// Whether it changes the queue.
    pub fn changes(&self) -> bool {
        self.parallel.is_some() || self.on_failure.is_some() || self.paused.is_some()
    }
}
