//! What a client can wait for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One condition of `wait`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "Fields")]
#[schemars(!try_from)]
pub enum Condition {
    /// The session has ended.
    Exit(bool),
    /// A line matches this regular expression (Rust's `regex` syntax, linear time).
    Pattern(String),
    /// Nothing on the screen matches this regular expression any more.
    Gone(String),
    /// The program waits for input.
    Input(bool),
    /// No output for so many milliseconds.
    IdleMs(u64),
    /// The session's `ready` probe holds.
    Ready(bool),
    /// A process of the session's tree listens on this TCP port.
    Port(u16),
}

/// A condition as it is written: of several, all but one are `null`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fields {
    exit: Option<bool>,
    pattern: Option<String>,
    gone: Option<String>,
    input: Option<bool>,
    idle_ms: Option<u64>,
    ready: Option<bool>,
    port: Option<u16>,
}

impl TryFrom<Fields> for Condition {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let all = [
            fields.exit.map(Self::Exit),
            fields.pattern.map(Self::Pattern),
            fields.gone.map(Self::Gone),
            fields.input.map(Self::Input),
            fields.idle_ms.map(Self::IdleMs),
            fields.ready.map(Self::Ready),
            fields.port.map(Self::Port),
        ];
        let mut given = all.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(Self::Port(0)), None) => Err("a port is a number from 1 to 65535"),
            (Some(condition), None) => Ok(condition),
            _ => Err(
                "a condition is exactly one of `exit`, `pattern`, `gone`, `input`, `idleMs`, `ready` and `port`",
            ),
        }
    }
}

impl Condition {
    /// Its name on the wire, as `matched.kind` says it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Exit(_) => "exit",
            Self::Pattern(_) => "pattern",
            Self::Gone(_) => "gone",
            Self::Input(_) => "input",
            Self::IdleMs(_) => "idleMs",
            Self::Ready(_) => "ready",
            Self::Port(_) => "port",
        }
    }
}

/// Which of the three views of the output a pattern is looked for in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum View {
    /// Lines of clean text, as they went by.
    #[default]
    Plain,
    /// The grid as it is now.
    Screen,
}

/// For several sessions: which must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WaitMode {
    /// The first one ends the wait.
    #[default]
    Any,
    /// Every one has to be decided.
    All,
}

/// The part of `wait` that `write` and `send_keys` take too.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WaitSpec {
    /// Any of these is success; absent: exit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Vec<Condition>>,
    /// Any of these is failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail: Option<Vec<Condition>>,
    /// A cursor, or `new`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Where patterns are looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// 10,000 by default, 600,000 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Characters of output in the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<usize>,
}
