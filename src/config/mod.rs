//! `config.toml`: the user's settings.
//!
//! The daemon reads limits and defaults from it; command line and dashboard read keys and appearance.
//! Nothing in it is ignored: an unknown key or a value of the wrong type is an error with its position,
//! because a limit that silently does not apply is worse than a program that does not start. If the file
//! does not exist, the defaults apply.
//!
//! Precedence of settings that can be given in several places: request, flag, environment, this file,
//! default.
//!
//! The dashboard checks the names in `[keys]` and `theme`, because it knows the actions and themes.

mod choice;
pub mod edit;
mod error;
mod hosts;
mod keys;
mod launchers;
pub mod pager;
mod plain;
mod read;
mod retention;
mod value;

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

pub use self::choice::{Background, Confirm, LogLevel, Notify};
pub use self::error::{ConfigError, Spot, Wrong};
pub use self::hosts::{HostEntry, LOCAL, is_name};
pub use self::keys::{Keys, Rebinding, Spelt};
pub use self::launchers::LauncherEntry;
use self::read::read_all;
pub use self::read::{Known, names_of, read};
pub use self::retention::Retention;
pub use self::value::Words;
use self::value::{U32, whole};
use crate::protocol::bounds::{MAX_CHARS, MAX_WAIT_MS};

/// The content of the file. `None` and empty values are not set. The fields are the keys that the file may
/// contain.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Limit of running sessions in total.
    #[serde(deserialize_with = "whole::<1, U32, _, _>")]
    pub max_sessions: Option<u32>,
    /// Limit of running sessions of one scope.
    #[serde(deserialize_with = "whole::<1, U32, _, _>")]
    pub max_sessions_per_scope: Option<u32>,
    /// How long `start` waits for the end of a session before it replies, in milliseconds.
    #[serde(deserialize_with = "whole::<0, MAX_WAIT_MS, _, _>")]
    pub yield_ms: Option<u64>,
    /// Characters of output in a reply.
    #[serde(deserialize_with = "whole::<1, { MAX_CHARS as u64 }, _, _>")]
    pub max_output_chars: Option<usize>,
    /// How long a finished session is kept after its last access, in milliseconds.
    #[serde(deserialize_with = "whole::<0, { u64::MAX }, _, _>")]
    pub ttl_ms: Option<u64>,
    /// Time between TERM and KILL when a person stops a job, in milliseconds.
    #[serde(deserialize_with = "whole::<0, MAX_WAIT_MS, _, _>")]
    pub stop_grace_ms: Option<u64>,
    /// Time limit of sessions that agents start, in seconds. 0 means none.
    #[serde(deserialize_with = "whole::<0, { u64::MAX }, _, _>")]
    pub timeout_sec: Option<u64>,
    /// The shell that runs the commands of agents.
    pub shell: Option<String>,
    /// Whether pagers and editors stay as they are for agents.
    pub pagers: Option<bool>,
    /// Bytes of log kept per session.
    #[serde(deserialize_with = "whole::<1, { u64::MAX }, _, _>")]
    pub log_bytes: Option<u64>,
    /// Bytes of log kept in total.
    #[serde(deserialize_with = "whole::<1, { u64::MAX }, _, _>")]
    pub total_log_bytes: Option<u64>,
    /// Keys that leave INSERT.
    pub leave_key: Words,
    /// Whether the dashboard asks before it ends a job.
    pub confirm: Confirm,
    /// Whether the dashboard uses only ASCII characters.
    pub ascii: bool,
    /// How long ended jobs are kept.
    pub retention: Retention,
    /// The lowest level of diagnostics that keeper and daemon write.
    pub log_level: Option<LogLevel>,
    /// The name of the dashboard's theme.
    pub theme: Option<Spanned<String>>,
    /// The background that the dashboard assumes for the terminal.
    pub background: Background,
    /// Whether the dashboard uses the mouse.
    pub mouse: Option<bool>,
    /// How the dashboard notifies a person who is looking at another window.
    pub notify: Notify,
    /// The shell line by which the daemon notifies of what jobs ask for with `notify`.
    pub notify_command: Option<String>,
    /// Changed key bindings of the dashboard.
    pub keys: Keys,
    /// Other hosts, by their names.
    pub hosts: BTreeMap<String, Spanned<HostEntry>>,
    /// Batch systems that run jobs, by their names.
    pub launchers: BTreeMap<String, Spanned<LauncherEntry>>,
    /// The text of the file, to find the positions of words.
    #[serde(skip)]
    pub text: String,
}

impl Config {
    /// Time between TERM and KILL when a person stops a job, in milliseconds. The default is 10 s, as in
    /// `docker stop`; agents get the 2 s of the protocol.
    pub fn stop_grace_ms(&self) -> u64 {
        self.stop_grace_ms.unwrap_or(10_000)
    }

    /// The keys that are set and that the daemon reads only when it starts.
    pub fn read_at_start(&self) -> Vec<&'static str> {
        let keys = [
            ("max_sessions", self.max_sessions.is_some()),
            (
                "max_sessions_per_scope",
                self.max_sessions_per_scope.is_some(),
            ),
            ("log_bytes", self.log_bytes.is_some()),
            ("total_log_bytes", self.total_log_bytes.is_some()),
            ("log_level", self.log_level.is_some()),
            ("notify_command", self.notify_command.is_some()),
            ("retention", self.retention != Retention::default()),
        ];
        let set = keys.into_iter().filter(|(_, is_set)| *is_set);
        set.map(|(key, _)| key).collect()
    }

    /// The words of `leave_key` with their positions.
    pub fn leave_keys(&self) -> Vec<Spelt> {
        let words = self.leave_key.0.iter();
        words.map(|word| Spelt::of(&self.text, word)).collect()
    }

    /// The value of `theme` with its position.
    pub fn theme(&self) -> Option<Spelt> {
        let word = self.theme.as_ref()?;
        Some(Spelt::of(&self.text, word))
    }

    /// The lines of `[keys]`, from top to bottom.
    pub fn rebindings(&self) -> Vec<Rebinding> {
        keys::lines(&self.keys, &self.text)
    }
}

/// Loads the file at `path`. Returns the defaults if it does not exist.
///
/// # Errors
///
/// If the file cannot be read, or all that is wrong in it.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    let (config, wrong) = look(path)?;
    match ConfigError::all(wrong) {
        Some(error) => Err(error),
        None => Ok(config),
    }
}

/// What is right in the file at `path`, and all that is wrong in it, for those who check more of it. What is wrong is not
/// set.
///
/// # Errors
///
/// If the file cannot be read.
pub fn look(path: &Path) -> Result<(Config, Vec<ConfigError>), ConfigError> {
    match text_of(path) {
        Ok(text) => {
            let (config, wrong) = parse(&text);
            let wrong = wrong.into_iter().map(|wrong| wrong.at(path, &text));
            Ok((config, wrong.collect()))
        }
        // `NotADirectory`: a part of the path is a file, so the configuration does not exist either.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok((Config::default(), Vec::new()))
        }
        Err(source) => Err(ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        }),
    }
}

/// The text of the file. A FIFO is refused, because reading it would wait for a writer for ever.
fn text_of(path: &Path) -> io::Result<String> {
    if std::fs::metadata(path)?.file_type().is_fifo() {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a FIFO"))
    } else {
        std::fs::read_to_string(path)
    }
}

fn parse(text: &str) -> (Config, Vec<Wrong>) {
    let known = |path: &[&str]| match path {
        [] => Known {
            what: "key",
            place: "".into(),
            names: names_of::<Config>(),
        },
        ["hosts", name, ..] => Known {
            what: "key",
            place: format!(" in [hosts.{name}]").into(),
            names: names_of::<HostEntry>(),
        },
        ["launchers", name, ..] => Known {
            what: "key",
            place: format!(" in [launchers.{name}]").into(),
            names: names_of::<LauncherEntry>(),
        },
        _ => Known {
            what: "key",
            place: " in [retention]".into(),
            names: names_of::<Retention>(),
        },
    };
    let (config, mut wrong) = read_all::<Config>(text, known);
    wrong.extend(hosts::check(&config.hosts));
    wrong.extend(launchers::check(&config.launchers));
    let text = text.to_owned();
    (Config { text, ..config }, wrong)
}

#[cfg(test)]
mod tests;
