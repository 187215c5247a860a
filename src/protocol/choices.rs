//! Enumerated values of parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds;

/// What `project` does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProjectOp {
    /// Starts jobs, and what they need.
    Up,
    /// Stops all jobs.
    Down,
    /// Says how the jobs are.
    #[default]
    Status,
    /// Says what `up` would change.
    Plan,
    /// Reads the file again and restarts jobs whose definition has changed.
    Reload,
    /// Returns the environment and directory of one job (people only).
    Env,
    /// After the loss of daemon and keeper, as in a reboot: starts the jobs of all projects that were up, in the
    /// environment of the client (people only).
    Restore,
}

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
    expecting = "expected the name of a key, {\"text\":\"…\"}, {\"click\":{…}} or {\"scroll\":{…}}"
)]
pub enum KeyInput {
    /// `Enter`, `C-c`, `F5`.
    Name(String),
    /// `{"text":"hello"}`.
    Text {
        /// Text to type literally.
        text: String,
    },
    /// `{"click":{"row":3,"col":10}}`: presses and releases a button of the mouse.
    Click {
        /// Where, and with which button.
        click: Click,
    },
    /// `{"scroll":{"row":3,"col":10,"lines":-5}}`: turns the wheel of the mouse.
    Scroll {
        /// Where, and how far.
        scroll: Scroll,
    },
}

/// A click with the mouse.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Click {
    /// Row of the screen, from 0.
    pub row: u16,
    /// Column of the screen, from 0.
    pub col: u16,
    /// The button (left).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<MouseButton>,
    /// Number of clicks (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = bounds::MAX_CLICKS))]
    pub count: Option<u8>,
}

/// A button of the mouse.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MouseButton {
    /// The left button.
    #[default]
    Left,
    /// The middle button.
    Middle,
    /// The right button.
    Right,
}

/// A turn of the wheel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scroll {
    /// Row of the screen, from 0.
    pub row: u16,
    /// Column of the screen, from 0.
    pub col: u16,
    /// Number of steps: positive ones are downwards.
    #[schemars(range(min = -bounds::MAX_WHEEL, max = bounds::MAX_WHEEL))]
    pub lines: i16,
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
    /// A PNG image, in base64.
    Png,
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
