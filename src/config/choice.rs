//! What can be chosen by a word.

use serde::Deserialize;

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

    /// How they are written.
    pub const NAMES: [&str; 4] = ["error", "warn", "info", "debug"];

    /// The level of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Error, Self::Warn, Self::Info, Self::Debug]
            .into_iter()
            .find(|level| level.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
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
