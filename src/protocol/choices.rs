//! What parameters choose from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the streams of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Stream {
    /// All output in the order it came.
    #[default]
    All,
    /// Standard output; everything a PTY shows.
    Stdout,
    /// Standard error, with pipes.
    Stderr,
    /// What was typed.
    Input,
}

/// Form of `log`'s output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogFormat {
    /// Clean text.
    #[default]
    Plain,
    /// The bytes, invalid UTF-8 replaced.
    Raw,
    /// The bytes exactly.
    Base64,
}

/// How `data` of `write` is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Encoding {
    /// As it stands.
    #[default]
    Utf8,
    /// Standard base64.
    Base64,
}

/// A key by name, or text as it stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected the name of a key, or {\"text\":\"…\"}"
)]
pub enum KeyInput {
    /// `Enter`, `C-c`, `F5`.
    Name(String),
    /// `{"text":"hello"}`.
    Text {
        /// Typed as it stands.
        text: String,
    },
}

/// Form of `capture`'s picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CaptureFormat {
    /// Characters only.
    #[default]
    Text,
    /// Terminal bytes.
    Ansi,
    /// A page.
    Html,
    /// A picture.
    Svg,
    /// Cells.
    Json,
}

/// Form of `export`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// A recording that asciinema plays (asciicast v2).
    #[default]
    Asciicast,
    /// Clean text.
    Text,
    /// Text with its colours, as a page.
    Html,
    /// The bytes exactly.
    Raw,
}

/// A signal by name (`TERM`, `SIGTERM`) or number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name or number of a signal")]
pub enum SignalName {
    /// By number.
    Number(i32),
    /// By name.
    Name(String),
}

impl Default for SignalName {
    fn default() -> Self {
        Self::Name(String::new())
    }
}

/// Whom a signal is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SignalTarget {
    /// The process group in the foreground of the terminal.
    #[default]
    Foreground,
    /// The first process.
    Leader,
    /// Every process of the session.
    Tree,
}

/// What becomes of running sessions at `shutdown`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ShutdownSessions {
    /// They go on.
    #[default]
    Keep,
    /// They are ended.
    Kill,
}
