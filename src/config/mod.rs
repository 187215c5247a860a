//! `config.toml`: what a person has decided once for all.
//!
//! Read by the daemon (limits, defaults) and by the front doors (keys, looks).
//! Nothing in it is ignored: an unknown key or a value of the wrong type is an
//! error with its place, because a limit that silently does not hold is worse
//! than a program that does not start. A missing file means the defaults.
//!
//! Precedence of what can also be said elsewhere: request, flag, environment,
//! this file, default.
//!
//! What the words of `[keys]` and `theme` mean is checked by the dashboard, which knows its actions and themes.

mod choice;
pub mod duration;
mod error;
mod keys;
mod read;
mod retention;
mod value;

use std::io;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

pub use self::choice::{Background, Confirm, LogLevel, Notify};
pub use self::error::{ConfigError, Spot, Wrong};
pub use self::keys::{Keys, Rebinding, Spelt};
pub use self::read::{Known, names_of, read};
pub use self::retention::Retention;
pub use self::value::Words;
use self::value::{U32, whole};

/// What the file says; `None` and empty mean that it does not say. Its fields are the keys that there are.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Running sessions in all.
    #[serde(deserialize_with = "whole::<1, U32, _, _>")]
    pub max_sessions: Option<u32>,
    /// Running sessions of one scope.
    #[serde(deserialize_with = "whole::<1, U32, _, _>")]
    pub max_sessions_per_scope: Option<u32>,
    /// How long `start` waits for the end before it answers, in milliseconds.
    #[serde(deserialize_with = "whole::<0, { u64::MAX }, _, _>")]
    pub yield_ms: Option<u64>,
    /// Characters of output in a reply.
    #[serde(deserialize_with = "whole::<1, { u64::MAX }, _, _>")]
    pub max_output_chars: Option<usize>,
    /// How long a finished session is kept after its last access, in milliseconds.
    #[serde(deserialize_with = "whole::<0, { u64::MAX }, _, _>")]
    pub ttl_ms: Option<u64>,
    /// Time between TERM and KILL when a person stops a job, in milliseconds.
    #[serde(deserialize_with = "whole::<0, LONGEST_GRACE_MS, _, _>")]
    pub stop_grace_ms: Option<u64>,
    /// Time limit of what agents start, in seconds; 0: none.
    #[serde(deserialize_with = "whole::<0, { u64::MAX }, _, _>")]
    pub timeout_sec: Option<u64>,
    /// Bytes of log kept per session.
    #[serde(deserialize_with = "whole::<1, { u64::MAX }, _, _>")]
    pub log_bytes: Option<u64>,
    /// Bytes of log kept in all.
    #[serde(deserialize_with = "whole::<1, { u64::MAX }, _, _>")]
    pub total_log_bytes: Option<u64>,
    /// Keys that leave INSERT.
    pub leave_key: Words,
    /// Whether the dashboard asks before it ends a job.
    pub confirm: Confirm,
    /// Whether the dashboard keeps to ASCII characters.
    pub ascii: bool,
    /// How long ended jobs are kept.
    pub retention: Retention,
    /// How much the daemon says about itself.
    pub log_level: Option<LogLevel>,
    /// The dashboard's colours, by name.
    pub theme: Option<Spanned<String>>,
    /// What the dashboard takes the terminal's background for.
    pub background: Background,
    /// Whether the dashboard takes the mouse.
    pub mouse: Option<bool>,
    /// How a person who looks at something else is told.
    pub notify: Notify,
    /// Keys of the dashboard bound anew.
    pub keys: Keys,
    /// The file itself, for the places of its words.
    #[serde(skip)]
    pub text: String,
}

/// Longest `stop_grace_ms`: the daemon takes no longer grace in one request.
const LONGEST_GRACE_MS: u64 = 600_000;

impl Config {
    /// How long a job has to end when a person stops it, in milliseconds: 10 s unless the file says otherwise, as
    /// `docker stop`. Agents have the protocol's 2 s.
    pub fn stop_grace_ms(&self) -> u64 {
        self.stop_grace_ms.unwrap_or(10_000).min(LONGEST_GRACE_MS)
    }

    /// `leave_key`, with the places of its words.
    pub fn leave_keys(&self) -> Vec<Spelt> {
        let words = self.leave_key.0.iter();
        words.map(|word| Spelt::of(&self.text, word)).collect()
    }

    /// `theme`, with its place.
    pub fn theme(&self) -> Option<Spelt> {
        let word = self.theme.as_ref()?;
        Some(Spelt::of(&self.text, word))
    }

    /// The lines of `[keys]`, from top to bottom.
    pub fn rebindings(&self) -> Vec<Rebinding> {
        keys::lines(&self.keys, &self.text)
    }
}

/// Reads the file at `path`.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text).map_err(|wrong| wrong.at(path, &text)),
        // Without its directory there is no file either.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(Config::default())
        }
        Err(source) => Err(ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        }),
    }
}

fn parse(text: &str) -> Result<Config, Wrong> {
    let known = |path: &[&str]| match path {
        [] => Known {
            what: "key",
            place: "",
            names: names_of::<Config>(),
        },
        _ => Known {
            what: "key",
            place: " in [retention]",
            names: names_of::<Retention>(),
        },
    };
    let config: Config = read(text, known)?;
    Ok(Config {
        text: text.to_owned(),
        ..config
    })
}

#[cfg(test)]
mod tests;
