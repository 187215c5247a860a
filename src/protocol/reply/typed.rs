//! Results of actions that type: `write`, `send_keys` and `exec`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Left, ScreenText, Waited};
use crate::protocol::status::InputState;
use crate::protocol::{SessionId, Status};

/// Result of `write` and `send_keys`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// Bytes that the kernel accepted.
    pub bytes_written: u64,
    /// Whether the program has read them; `null` if unknown.
    pub consumed: Option<bool>,
    /// Input that the program has not read; `null` if unknown.
    pub unread_input_bytes: Option<u64>,
    /// Bytes that were not typed, because the program reads nothing, the Enter of `submit` and the end of the input
    /// included. They are to be sent again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_written: u64,
    /// Warnings about the write.
    pub warnings: Vec<Warning>,
    /// Result of the wait, if one was requested.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Waited>,
}

/// How far a command has come that was typed into a shell. Each of them is `ok:true`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Progress {
    /// It has ended.
    Done,
    /// It waits for input.
    Input,
    /// It goes on.
    Running,
    /// The shell has not begun it.
    NotBegun,
    /// The session has ended, and the command with it.
    Exited,
}

/// Result of `exec`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Executed {
    /// Id of the session.
    pub session_id: SessionId,
    /// Status of the session.
    pub status: Status,
    /// How far the command has come.
    pub outcome: Progress,
    /// Exit code of the command once it is done, or of the session if that has ended.
    pub exit_code: Option<i32>,
    /// What the command has written, as far as it has not been returned before. If it has not begun: all
    /// output since it was typed.
    pub output: String,
    /// What `output` omits at its beginning.
    pub omitted: Left,
    /// The line numbers that `output` leaves out, first and last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_lines: Option<[u64; 2]>,
    /// A read from here returns the same text again.
    pub prev_cursor: String,
    /// A read from here returns what follows.
    pub cursor: String,
    /// Duration of the request, in milliseconds.
    pub elapsed_ms: u64,
    /// What the program in the foreground does with its input.
    pub input_state: InputState,
    /// Why a command is over that has no exit code. On a lean connection also: that the session was started again since
    /// you last looked, that somebody else has ended it or runs it again, or why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The screen, if a full-screen program runs (on a lean connection).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<ScreenText>,
    /// With this, a later request goes on waiting. Absent once the command is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
    /// The command of an earlier `exec` of which you have not been told the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<UntoldCommand>,
    /// Warnings about the typed line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A command whose end its client has not been told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UntoldCommand {
    /// Its exit code; absent if the shell gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// A `poll` with this `since` shows what it has written.
    pub since: String,
}

/// A warning about a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// A terminal in canonical mode silently truncates a line at 4,095 bytes.
    #[serde(rename = "line_over_4095")]
    LineOver4095,
    /// The program is not reading, so possibly not all bytes were accepted.
    NotReading,
    /// The end-of-input character was read as any other key, and the program reads on.
    NoEffect,
    /// The program has not enabled bracketed paste, so the data was typed like any other.
    PasteNotBracketed,
    /// Another session of the scope that has not ended has the same label, which means neither of them now.
    LabelInUse,
    /// The program reads keys, and a line feed is not Enter to it but `^J`. Only on a lean connection.
    NewlineNotEnter,
    /// Enter was not pressed, and the text stands at the prompt: the program does not have it. Only on a lean connection.
    NoEnter,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
