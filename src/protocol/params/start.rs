//! How a session is started, and how that is changed later.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Absent, params};
use crate::protocol::batch_job::{Launcher, Resources};
use crate::protocol::condition::{Condition, View};
use crate::protocol::project::After;
use crate::protocol::record::Share;
use crate::protocol::status::Mode;
use crate::protocol::{JobLimits, Notice, Probe, RestartPolicy, bounds, variables};

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
}
