//! What happens, told to those who asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::EndedBy;
use super::{SessionId, Status, Timestamp};

/// What happened. Lifecycle events have a sequence number, live ones have none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// First line of a connection.
    Hello,
    /// A session runs.
    Started,
    /// Its readiness probe holds.
    Ready,
    /// It has ended; data is the completion message.
    Exited,
    /// Stopped by a signal.
    Paused,
    /// Continued.
    Resumed,
    /// It waits for a line or a password.
    InputNeeded,
    /// An agent asked a person.
    HumanAsked,
    /// That question is settled; data says how.
    HumanAnswered,
    /// A person typed.
    HumanInput,
    /// A person holds the keyboard.
    Held,
    /// The keyboard is free again.
    Released,
    /// A new run under the same id.
    Restarted,
    /// It ended while nothing was there to see how.
    Lost,
    /// A new daemon took it over.
    Adopted,
    /// Old output was dropped to keep the log in its bounds.
    OutputDropped,
    /// A limit was reached.
    Limit,
    /// It was removed.
    Removed,
    /// Live: new output.
    Output,
    /// Live: what changed on a watched screen.
    Screen,
    /// Live: its title changed.
    Title,
    /// Live: it rang the bell.
    Bell,
    /// Live: an agent types, told once a second at most; data says which (`by`).
    AgentInput,
    /// Live: events were left out for a slow reader; data counts them.
    Lag,
}

impl EventKind {
    /// Whether it has a sequence number and is kept.
    pub fn is_lifecycle(self) -> bool {
        !matches!(
            self,
            Self::Hello
                | Self::Output
                | Self::Screen
                | Self::Title
                | Self::Bell
                | Self::AgentInput
                | Self::Lag
        )
    }
}

/// One event line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What happened.
    pub event: EventKind,
    /// Global sequence of lifecycle events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// To whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// What goes with it.
    #[serde(default)]
    pub data: Value,
}

/// Data of a `screen` event: terminal bytes that bring a screen of this size up to date.
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
    /// Whether the bytes paint the whole screen anew.
    pub full: bool,
    /// Lines of clean text at that moment; absent from older daemons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_lines: Option<u64>,
}

/// Data of `exited` and `lost`: the completion message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The name that people gave it.
    pub label: Option<String>,
    /// What it ran, at most 2,000 characters.
    pub command: String,
    /// How it ended.
    pub status: Status,
    /// Exit code; `null` after a signal.
    pub exit_code: Option<i32>,
    /// The signal it died of.
    pub signal: Option<String>,
    /// How long it ran.
    pub runtime_ms: u64,
    /// Who ended it.
    pub ended_by: Option<EndedBy>,
    /// The last 2,000 characters of its output.
    pub output: String,
}
