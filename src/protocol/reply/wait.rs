//! Results of `wait`, and of a question to a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Polled;
use crate::protocol::record::HeldBy;
use crate::protocol::status::InputState;
use crate::protocol::{SessionId, Status};

/// Outcome of a `wait`. Each of them is `ok:true`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// A condition of `until` holds.
    Matched,
    /// A condition of `fail` holds.
    Failed,
    /// The session ended first.
    Exited,
    /// The wait timed out.
    Timeout,
    /// On a lean connection: another session has decided the wait, and this one goes on.
    Running,
    /// The session is lost.
    Lost,
}

/// The condition that holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Matched {
    /// Index in `until` (or `fail`).
    pub index: usize,
    /// Kind of condition.
    pub kind: String,
    /// For patterns: the permanent line number, from 1. With the view `screen`: the row, from 1 at
    /// the top.
    pub line: Option<u64>,
    /// For patterns: the line (or row) that matched, at most about 2,000 bytes around the match.
    pub text: Option<String>,
    /// For patterns: captured groups, by number from 1.
    #[serde(default)]
    pub groups: Vec<Option<String>>,
    /// For `command`: its exit code, if the shell reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// For several sessions: the session that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// For `input`: the state that matched. The reply has it as its own `inputState`, also if the program
    /// has stopped waiting in between.
    #[serde(skip)]
    pub input_state: Option<InputState>,
}

impl Matched {
    /// Condition number `index`, of this kind, without what only some kinds have.
    pub fn of(index: usize, kind: &str) -> Self {
        Self {
            index,
            kind: kind.to_owned(),
            line: None,
            text: None,
            groups: Vec::new(),
            exit_code: None,
            session_id: None,
            input_state: None,
        }
    }
}

/// Result of `wait` on one session; part of the result of `write` and `send_keys`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waited {
    /// Outcome of the wait.
    pub outcome: Outcome,
    /// The condition that ended the wait.
    pub matched: Option<Matched>,
    /// Whether the condition already held when the wait began.
    pub matched_at_entry: bool,
    /// Duration of the wait, in milliseconds.
    pub elapsed_ms: u64,
    /// After a timeout or the end of the session, on a lean connection: a line of the present run that matches, and that
    /// you have been shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_before: Option<SeenBefore>,
    /// After a timeout, on a lean connection: the row of a full-screen program that a pattern matches, from 1 at the
    /// top. A `wait` with the view `screen` matches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_row: Option<u64>,
    /// After a timeout, on a lean connection: the time since the last output, in milliseconds, if it is longer than the
    /// wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// Label of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Output since the wait's cursor, and the session's state.
    #[serde(flatten)]
    pub polled: Polled,
}

/// A line that a pattern of a wait matches, before the place from which it searched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenBefore {
    /// Its permanent number, from 1.
    pub line: u64,
    /// Its text, at most about 2,000 bytes around the match.
    pub text: String,
    /// A `wait` with this `since` matches it.
    pub since: String,
}

/// Result of `wait` on several sessions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitedAll {
    /// Outcome of the whole wait.
    pub outcome: Outcome,
    /// The first match, with its session.
    pub matched: Option<Matched>,
    /// Whether the condition already held when the wait began.
    pub matched_at_entry: bool,
    /// Duration of the wait, in milliseconds.
    pub elapsed_ms: u64,
    /// The result of each session.
    pub results: Vec<Waited>,
}

/// Outcome of a question. Each of them is `ok:true`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AskOutcome {
    /// A person typed into the session.
    Answered,
    /// A person declined.
    Declined,
    /// Nobody answered in time.
    Timeout,
}

impl AskOutcome {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Declined => "declined",
            Self::Timeout => "timeout",
        }
    }
}

/// Result of `decline`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Declined {
    /// Number of questions that were declined.
    pub declined: usize,
}

/// Result of `ask_human`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HumanAnswered {
    /// Outcome of the question.
    pub outcome: AskOutcome,
    /// Duration of the wait, in milliseconds.
    pub elapsed_ms: u64,
    /// The person who still holds the keyboard, and until when.
    pub held_by: Option<HeldBy>,
    /// Status of the session now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Its exit code, if it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What its program does with its input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_state: Option<InputState>,
}
