//! Enumerated values of parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stream of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Stream {
    /// All output, in the order in which it was written.
    #[default]
    All,
    /// Standard output. With a PTY, all output.
    Stdout,
    /// Standard error. Only with pipes.
    Stderr,
    /// The typed input.
    Input,
}

/// The streams that `poll` returns: [`Stream`] without the input.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[allow(dead_code, reason = "only its schema is used")]
pub enum PolledStream {
    /// All output, in the order in which it was written.
    All,
    /// Standard output. With a PTY, all output.
    Stdout,
    /// Standard error. Only with pipes.
    Stderr,
}

/// Format of `log`'s output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogFormat {
    /// Clean text.
    #[default]
    Plain,
    /// The raw bytes, with invalid UTF-8 replaced.
    Raw,
    /// The exact bytes, in base64.
    Base64,
}

/// Encoding of `data` in `write`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Encoding {
    /// Plain text.
    #[default]
    Utf8,
    /// Standard base64.
    Base64,
}

/// The language of a shell's command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ShellLanguage {
    /// A Bourne shell: sh, bash, dash, zsh, ksh.
    Posix,
    /// fish.
    Fish,
}

/// A key name, or literal text.
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
        /// Text to type literally.
        text: String,
    },
}

/// Format of `capture`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CaptureFormat {
    /// Characters only.
    #[default]
    Text,
    /// Terminal bytes with escape sequences.
    Ansi,
    /// An HTML page.
    Html,
    /// An SVG image.
    Svg,
    /// Cells with their attributes.
    Json,
}

/// Format of `export`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// A recording for asciinema (asciicast v2).
    #[default]
    Asciicast,
    /// Clean text.
    Text,
    /// Text with colours, as an HTML page.
    Html,
    /// The exact bytes.
    Raw,
}

/// A signal by name (`TERM`, `SIGTERM`) or number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name or number of a signal")]
pub enum SignalName {
    /// By number.
    Number(#[schemars(range(min = 1, max = 64))] i32),
    /// By name.
    Name(String),
}

impl Default for SignalName {
    fn default() -> Self {
        Self::Name(String::new())
    }
}

/// The processes that receive a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SignalTarget {
    /// The foreground process group of the terminal.
    #[default]
    Foreground,
    /// The session's first process.
    Leader,
    /// Every process of the session.
    Tree,
}

/// What happens to running sessions at `shutdown`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ShutdownSessions {
    /// They keep running.
    #[default]
    Keep,
    /// They are killed.
    Kill,
}
