//! Settings whose values are words.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// Whether the dashboard asks before it ends a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirm {
    /// Ask.
    #[default]
    Ask,
    /// Do not ask.
    Never,
}

/// The lowest level of diagnostics that keeper and daemon write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Failed operations.
    Error,
    /// Problems that a person should look at.
    Warn,
    /// The lifecycle of the processes themselves: start, takeover, end.
    #[default]
    Info,
    /// The start and end of each session.
    Debug,
}

impl LogLevel {
    /// The environment variable that overrides the setting. Lines that run because of a job have the path of its log
    /// in it, which says nothing about the level.
    pub const VARIABLE: &str = "BGPROC_LOG";

    /// What the environment variable says about the level; empty: nothing.
    pub fn asked() -> String {
        let asked = std::env::var(Self::VARIABLE).unwrap_or_default();
        if asked.starts_with('/') {
            String::new()
        } else {
            asked
        }
    }

    /// The level with this name. The parser of `tracing` is not used, because it also accepts numbers,
    /// `trace`, capitals and an empty string.
    pub fn parse(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }
}

/// The background that the dashboard assumes for the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Background {
    /// Query the terminal.
    #[default]
    Auto,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// How the dashboard notifies a person who is looking at another window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// With the terminal's own notifications.
    #[default]
    Terminal,
    /// With a desktop notification.
    Desktop,
    /// Not at all.
    None,
}
