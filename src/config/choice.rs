//! What can be chosen by a word.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// Whether the dashboard asks before it ends a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirm {
    /// It asks.
    #[default]
    Ask,
    /// It does not.
    Never,
}

/// How much keeper and daemon say about themselves: this and what is worse.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// What they could not do.
    Error,
    /// What somebody should look at.
    Warn,
    /// What they do about themselves: start, take over, end.
    #[default]
    Info,
    /// Each session that starts and ends.
    Debug,
}

impl LogLevel {
    /// Environment variable that says it, too, and wins.
    pub const VARIABLE: &str = "BGPROC_LOG";

    /// The level of that name. The parser of `tracing` would also take numbers, `trace`, capitals and no word at all.
    pub fn parse(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }
}

/// What the dashboard takes the terminal's background for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Background {
    /// The terminal is asked.
    #[default]
    Auto,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// How a person who looks at something else is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// By the terminal, in its own way.
    #[default]
    Terminal,
    /// By the desktop.
    Desktop,
    /// Not at all.
    None,
}
