//! The runs of a session, and who ended them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Scope, Timestamp};

/// Kind of actor that ended a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EndedByKind {
    /// An agent.
    Agent,
    /// A person.
    Human,
    /// The time limit.
    Timeout,
    /// A resource limit of the session.
    Limit,
    /// It was not ready any more for longer than `restart.unreadyMs`.
    Unready,
    /// Files have changed that the session's job watches.
    Watch,
    /// The schedule of the session's job.
    Schedule,
    /// The project of the session's job, all of which is ended because another job has ended (`allOrNone`).
    Project,
    /// The session's own program.
    Itself,
}

/// The actor that ended a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndedBy {
    /// Kind of actor.
    pub kind: EndedByKind,
    /// The actor's scope, if it has one.
    pub scope: Option<Scope>,
}

impl EndedBy {
    /// An actor without a scope.
    pub fn of(kind: EndedByKind) -> Self {
        Self { kind, scope: None }
    }
}

/// One run of a session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// Number of the run, counted from 1.
    pub run: u32,
    /// Offset of the first byte of its output.
    pub offset: u64,
    /// Number of the first whole line of its output. If the run before ended within a line, the output begins in
    /// that line. Absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u64>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended; for one that was lost, when that was noticed.
    pub ended_at: Option<Timestamp>,
    /// Exit code.
    pub exit_code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<String>,
    /// Whether nothing could observe how it ended: its keeper was killed, or the machine was restarted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Why it was started, if nobody has asked for it: `changed: src/main.rs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Stands for what was run: command, arguments, shell, directory, kind of terminal and names of variables. Equal
    /// for runs with the same definition. Absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

impl Run {
    /// A run that has started.
    pub fn begun(run: u32, offset: u64, started_at: Timestamp) -> Self {
        Self {
            run,
            offset,
            first_line: None,
            started_at,
            ended_at: None,
            exit_code: None,
            signal: None,
            lost: false,
            because: None,
            definition: None,
        }
    }
}

/// How often a session has failed whose result changes although its definition does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Flaky {
    /// Number of runs that failed.
    pub failed: u32,
    /// Number of runs with the present definition that ended by themselves.
    pub runs: u32,
}
