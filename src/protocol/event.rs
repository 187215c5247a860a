//! Events that are sent to subscribers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::run::EndedBy;
use super::status::InputState;
use super::{Scope, SessionId, Status, Timestamp};

/// Kind of event. Lifecycle events have a sequence number, live events have none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The first line of a connection.
    Hello,
    /// A session was started.
    Started,
    /// Its readiness probe holds.
    Ready,
    /// The session has ended; `data` is the completion message.
    Exited,
    /// The session was stopped by a signal.
    Paused,
    /// The session was continued.
    Resumed,
    /// The session waits for a line or a password.
    InputNeeded,
    /// Its program reported how it is doing, which it had not before; `data` has state and message.
    Reported,
    /// An agent asked a person.
    HumanAsked,
    /// A question to a person is settled; `data` says how.
    HumanAnswered,
    /// A person typed.
    HumanInput,
    /// A person holds the keyboard.
    Held,
    /// The keyboard is free again.
    Released,
    /// A new run began under the same id.
    Restarted,
    /// The session ended while nothing was running that could observe how.
    Lost,
    /// A new daemon took over the session.
    Adopted,
    /// Old output was dropped to keep the log within its limit.
    OutputDropped,
    /// A limit was reached.
    Limit,
    /// A batch system has put the session into its queue.
    Queued,
    /// A batch system runs the session; `data` says where.
    Placed,
    /// A batch system has put the session into its queue again.
    Requeued,
    /// A person has changed the command of the session; `data` has the new one. Its next run has it.
    CommandChanged,
    /// A queue starts nothing any more; `data` says why.
    QueuePaused,
    /// A queue starts sessions again.
    QueueResumed,
    /// A queue was made or ended, or runs another number of sessions at once, or does something else after a failure.
    QueueChanged,
    /// The session was removed.
    Removed,
    /// A host is connected.
    HostUp,
    /// A host is not connected any more, or cannot be reached; `data` says why.
    HostDown,
    /// Events of a host are missing, because it does not keep them any more.
    Gap,
    /// Live: new output.
    Output,
    /// Live: a change of a watched screen.
    Screen,
    /// Live: the title changed.
    Title,
    /// Live: the terminal bell rang.
    Bell,
    /// Live: an agent types. Sent at most once a second; `by` in `data` is the agent's scope.
    AgentInput,
    /// Live: a run has ended, and the restart policy starts another one; `retryAt` in `data` says when, and
    /// `retry` how many times in a row that is.
    Retrying,
    /// Live: a job of a project is in another phase, or for another reason; `data` is the job's `project`, or null if
    /// the session has left its project, whose file does not name the job any more. Or a new session waits for its
    /// first run, or one that waits for others is skipped, or waits again; `data` is its `waiting`.
    Phase,
    /// Live: the name, group, tags or another property of the session was changed with `set`; its record has the new
    /// ones.
    Changed,
    /// Live: events were skipped for a slow reader; `missed` in `data` is their number.
    Lag,
}

impl EventKind {
    /// Whether events of this kind have a sequence number and are kept.
    pub fn is_lifecycle(self) -> bool {
        !matches!(
            self,
            Self::Hello
                | Self::Output
                | Self::Screen
                | Self::Title
                | Self::Bell
                | Self::AgentInput
                | Self::Retrying
                | Self::Phase
                | Self::Changed
                | Self::Lag
        )
    }

    /// Whether events of this kind are about a session.
    pub fn is_of_session(self) -> bool {
        !matches!(
            self,
            Self::Hello
                | Self::HostUp
                | Self::HostDown
                | Self::Gap
                | Self::QueuePaused
                | Self::QueueResumed
                | Self::QueueChanged
                | Self::Lag
        )
    }
}

/// One event line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Kind of event.
    pub event: EventKind,
    /// Global sequence number of a lifecycle event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Time of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The host on which it happened; absent: on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Box<str>>,
    /// Its sequence number on that host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_seq: Option<u64>,
    /// Scope of the session, for a subscription with `withScope`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Further data, depending on the kind.
    #[serde(default)]
    pub data: Value,
}

impl Event {
    /// An event of this kind, without anything else.
    pub fn of(event: EventKind) -> Self {
        Self {
            event,
            seq: None,
            at: None,
            session_id: None,
            host: None,
            host_seq: None,
            scope: None,
            data: Value::Null,
        }
    }

    /// Says that this many events were left out for a slow reader.
    pub fn lag(missed: u64) -> Self {
        Self {
            data: json!({ "missed": missed }),
            ..Self::of(EventKind::Lag)
        }
    }
}

/// Data of a `screen` event: terminal bytes that update a screen of this size.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScreenUpdate {
    /// Terminal bytes, base64.
    pub bytes: String,
    /// Rows of the screen.
    pub rows: u16,
    /// Columns of the screen.
    pub cols: u16,
    /// Grows with each change.
    pub screen_seq: u64,
    /// Whether the bytes repaint the whole screen.
    pub full: bool,
    /// For a change (not `full`): the first row that the bytes may change, and the row after the last one. Older
    /// daemons omit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_rows: Option<(u16, u16)>,
    /// Number of lines of clean text at that moment. Older daemons omit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_lines: Option<u64>,
    /// Whether a full-screen program uses the alternate screen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alt_screen: bool,
}

/// Data of `input_needed`. Label and project are added, as to that of every lifecycle event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputNeeded {
    /// What its program waits for.
    pub input_state: InputState,
    /// The line on which it waits.
    #[serde(default)]
    pub prompt: Option<String>,
}

/// Data of `human_asked`: a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HumanAsked {
    /// The question.
    pub message: String,
    /// Who asks.
    pub by: EndedBy,
    /// When it expires.
    pub until: Timestamp,
}

/// Data of `human_answered`: how a question was settled, and which one it was, because several may be open.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HumanSettled {
    /// How it was answered, as in the reply to `ask_human`, or why it was withdrawn: `cancelled`.
    #[serde(default)]
    pub outcome: String,
    /// The question. Earlier versions say nothing of it.
    #[serde(default)]
    pub message: Option<String>,
    /// When it would have expired.
    #[serde(default)]
    pub until: Option<Timestamp>,
}

/// Data of `exited` and `lost`: the completion message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The session's label.
    pub label: Option<String>,
    /// The command, at most 2,000 characters.
    pub command: String,
    /// Final status.
    pub status: Status,
    /// Exit code; `null` after a signal.
    pub exit_code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<String>,
    /// How long it ran, in milliseconds.
    pub runtime_ms: u64,
    /// Who ended it.
    pub ended_by: Option<EndedBy>,
    /// The batch system that ended it, not its own program and not through bgproc: `Slurm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Why it has ended, if it has neither code nor signal: `it could not be started: …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why the shell line failed that was to stop it: `exit code 3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_failure: Option<String>,
    /// The last 2,000 characters of its output.
    pub output: String,
}
