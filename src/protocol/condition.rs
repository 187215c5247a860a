//! Conditions that a client can wait for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::{self, one_of};

/// One condition of `wait`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "Fields")]
pub enum Condition {
    /// The session has ended. The value is `true`, here and in the other flags.
    Exit(bool),
    /// A line matches this regular expression (Rust's `regex` syntax, linear time).
    Pattern(String),
    /// No row of the screen matches this regular expression.
    Gone(String),
    /// The program waits for input.
    Input(bool),
    /// No output for this many milliseconds.
    IdleMs(u64),
    /// The session's `ready` probe holds.
    Ready(bool),
    /// A process of the session's tree listens on this TCP port.
    Port(u16),
    /// The command that the session's shell runs has ended (OSC 133).
    Command(bool),
}

/// One condition of `wait`: exactly one field is given.
// The form on the wire. All fields except one must be absent or `null`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Condition", extend("allOf" = [one_of(KINDS)]))]
struct Fields {
    /// The session has ended.
    #[schemars(extend("enum" = ONLY_TRUE))]
    exit: Option<bool>,
    /// A line matches this regular expression (Rust's `regex` syntax, linear time).
    pattern: Option<String>,
    /// No row of the screen matches this regular expression.
    gone: Option<String>,
    /// The program waits for input.
    #[schemars(extend("enum" = ONLY_TRUE))]
    input: Option<bool>,
    /// No output for this many milliseconds.
    idle_ms: Option<u64>,
    /// The session's `ready` probe holds.
    #[schemars(extend("enum" = ONLY_TRUE))]
    ready: Option<bool>,
    /// A process of the session's tree listens on this TCP port.
    #[schemars(range(min = 1))]
    port: Option<u16>,
    /// The command that the session's shell runs has ended (OSC 133).
    #[schemars(extend("enum" = ONLY_TRUE))]
    command: Option<bool>,
}

/// The values of a flag: a condition that never holds would only hide a mistake.
const ONLY_TRUE: [Option<bool>; 2] = [Some(true), None];

/// The names of the conditions.
const KINDS: &[&str] = &[
    "exit", "pattern", "gone", "input", "idleMs", "ready", "port", "command",
];

impl TryFrom<Fields> for Condition {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let flags = [fields.exit, fields.input, fields.ready, fields.command];
        if flags.contains(&Some(false)) {
            return Err("`exit`, `input`, `ready` and `command` can only be true");
        }
        let all = [
            fields.exit.map(Self::Exit),
            fields.pattern.map(Self::Pattern),
            fields.gone.map(Self::Gone),
            fields.input.map(Self::Input),
            fields.idle_ms.map(Self::IdleMs),
            fields.ready.map(Self::Ready),
            fields.port.map(Self::Port),
            fields.command.map(Self::Command),
        ];
        let mut given = all.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(Self::Port(0)), None) => Err("a port is a number from 1 to 65535"),
            (Some(condition), None) => Ok(condition),
            _ => Err(
                "a condition is exactly one of `exit`, `pattern`, `gone`, `input`, `idleMs`, `ready`, `port` and `command`",
            ),
        }
    }
}

impl Condition {
    /// Its name on the wire, which is also the value of `matched.kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Exit(_) => "exit",
            Self::Pattern(_) => "pattern",
            Self::Gone(_) => "gone",
            Self::Input(_) => "input",
            Self::IdleMs(_) => "idleMs",
            Self::Ready(_) => "ready",
            Self::Port(_) => "port",
            Self::Command(_) => "command",
        }
    }
}

/// The view of the output in which patterns are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum View {
    /// Lines of clean text, as they were written.
    #[default]
    Plain,
    /// The current screen.
    Screen,
}

/// For a wait on several sessions: how many of them must match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WaitMode {
    /// The first matching session ends the wait.
    #[default]
    Any,
    /// All sessions must match.
    All,
    /// As `any`, but without the sessions whose end the client has been told.
    Next,
}

/// The parameters of `wait` that `write` and `send_keys` also accept.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WaitSpec {
    /// The wait succeeds if any of these holds; absent or empty: exit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Vec<Condition>>,
    /// The wait fails if any of these holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail: Option<Vec<Condition>>,
    /// A cursor, or `new`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = bounds::CURSOR))]
    pub since: Option<String>,
    /// The view in which patterns are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Time limit in milliseconds (default 10,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = bounds::MAX_WAIT_MS))]
    pub timeout_ms: Option<u64>,
    /// Maximum number of characters of output in the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = bounds::MAX_CHARS))]
    pub max_chars: Option<usize>,
}

impl WaitSpec {
    /// The wait of a request that has these parameters itself.
    pub fn of(
        until: Option<Vec<Condition>>,
        fail: Option<Vec<Condition>>,
        view: Option<View>,
        timeout_ms: Option<u64>,
    ) -> Self {
        Self {
            until,
            fail,
            view,
            timeout_ms,
            ..Self::default()
        }
    }

    /// What to wait for, if it says so. An empty list says as little as none.
    pub fn wanted(&self) -> Option<&[Condition]> {
        self.until.as_deref().filter(|until| !until.is_empty())
    }

    /// Whether it says what to wait for, or what is a failure.
    pub fn names_conditions(&self) -> bool {
        self.wanted().is_some() || self.fail.as_ref().is_some_and(|fail| !fail.is_empty())
    }
}
