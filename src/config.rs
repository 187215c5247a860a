//! `config.toml`: what a person has decided once for all.
//!
//! Read by the daemon (limits, defaults) and by the front doors (keys, looks).
//! Nothing in it is ignored: an unknown key or a value of the wrong type is an
//! error with its place, because a limit that silently does not hold is worse
//! than a program that does not start. A missing file means the defaults.
//!
//! Precedence of what can also be said elsewhere: request, flag, environment,
//! this file, default.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::protocol::suggest::nearest;

/// What the file says; `None` and empty mean that it does not say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Running sessions in all.
    pub max_sessions: Option<u32>,
    /// Running sessions of one scope.
    pub max_sessions_per_scope: Option<u32>,
    /// How long `start` waits for the end before it answers, in milliseconds.
    pub yield_ms: Option<u64>,
    /// Characters of output in a reply.
    pub max_output_chars: Option<usize>,
    /// How long a finished session is kept after its last access, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// Time limit of what agents start, in seconds; 0: none.
    pub timeout_sec: Option<u64>,
    /// Bytes of log kept per session.
    pub log_bytes: Option<u64>,
    /// Bytes of log kept in all.
    pub total_log_bytes: Option<u64>,
    /// Keys that leave INSERT.
    pub leave_key: Vec<String>,
    /// Whether the dashboard asks before it ends a job.
    pub confirm: Confirm,
    /// Whether the dashboard keeps to ASCII characters.
    pub ascii: bool,
    /// How much the daemon says about itself.
    pub log_level: Option<LogLevel>,
}

/// Whether the dashboard asks before it ends a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Confirm {
    /// It asks.
    #[default]
    Ask,
    /// It does not.
    Never,
}

/// How much keeper and daemon say about themselves: this and what is worse.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It is there and cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It says something that makes no sense.
    #[error("{path}:{line}:{column}: {message}")]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// What is wrong, and what would be right.
        message: String,
    },
}

/// The keys that are known, for suggestions.
const KEYS: [&str; 12] = [
    "ascii",
    "confirm",
    "leave_key",
    "log_bytes",
    "log_level",
    "max_output_chars",
    "max_sessions",
    "max_sessions_per_scope",
    "timeout_sec",
    "total_log_bytes",
    "ttl_ms",
    "yield_ms",
];

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

/// What is wrong, and which bytes of the file say it.
struct Wrong {
    span: Range<usize>,
    message: String,
}

impl Wrong {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    fn at(self, path: &Path, text: &str) -> ConfigError {
        let before = text.get(..self.span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ConfigError::Invalid {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: self.message,
        }
    }
}

/// A value with its place and the name it stands under.
struct Entry<'a, 'i> {
    key: &'a str,
    value: &'a Spanned<DeValue<'i>>,
}

fn parse(text: &str) -> Result<Config, Wrong> {
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().trim().replace('\n', ", ");
        Wrong::new(error.span().unwrap_or_default(), message)
    })?;
    let mut config = Config::default();
    for (key, value) in table.get_ref() {
        let entry = Entry {
            key: key.get_ref(),
            value,
        };
        match entry.key {
            "max_sessions" => config.max_sessions = Some(entry.at_least(1)?),
            "max_sessions_per_scope" => config.max_sessions_per_scope = Some(entry.at_least(1)?),
            "yield_ms" => config.yield_ms = Some(entry.at_least(0)?),
            "max_output_chars" => config.max_output_chars = Some(entry.at_least(1)?),
            "ttl_ms" => config.ttl_ms = Some(entry.at_least(0)?),
            "timeout_sec" => config.timeout_sec = Some(entry.at_least(0)?),
            "log_bytes" => config.log_bytes = Some(entry.at_least(1)?),
            "total_log_bytes" => config.total_log_bytes = Some(entry.at_least(1)?),
            "leave_key" => config.leave_key = entry.words()?,
            "confirm" => config.confirm = entry.confirm()?,
            "ascii" => config.ascii = entry.boolean()?,
            "log_level" => config.log_level = Some(entry.log_level()?),
            unknown => return Err(Wrong::new(key.span(), unknown_key(unknown))),
        }
    }
    Ok(config)
}

fn unknown_key(key: &str) -> String {
    match nearest(key, KEYS) {
        Some(near) => format!("unknown key \"{key}\". Did you mean \"{near}\"?"),
        None => format!("unknown key \"{key}\". Known: {}", KEYS.join(", ")),
    }
}

impl Entry<'_, '_> {
    /// An integer not below `least` that fits its type.
    fn at_least<T: TryFrom<i128>>(&self, least: i128) -> Result<T, Wrong> {
        let integer = self
            .value
            .get_ref()
            .as_integer()
            .ok_or_else(|| self.expected("an integer"))?;
        let digits = integer.as_str().replace('_', "");
        i128::from_str_radix(&digits, integer.radix())
            .ok()
            .filter(|number| *number >= least)
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                let message = format!("{} of \"{}\" is out of range", integer.as_str(), self.key);
                Wrong::new(
                    self.value.span(),
                    format!("{message}; the least is {least}"),
                )
            })
    }

    fn boolean(&self) -> Result<bool, Wrong> {
        let value = self.value.get_ref().as_bool();
        value.ok_or_else(|| self.expected("true or false"))
    }

    /// One string, or a list of them.
    fn words(&self) -> Result<Vec<String>, Wrong> {
        let wrong = || self.expected("a string or a list of strings");
        match self.value.get_ref() {
            DeValue::String(word) => Ok(vec![word.to_string()]),
            DeValue::Array(items) => items
                .iter()
                .map(|item| item.get_ref().as_str().map(str::to_owned))
                .collect::<Option<_>>()
                .ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }

    fn confirm(&self) -> Result<Confirm, Wrong> {
        match self.value.get_ref().as_str() {
            Some("ask") => Ok(Confirm::Ask),
            Some("never") => Ok(Confirm::Never),
            _ => Err(self.expected("\"ask\" or \"never\"")),
        }
    }

    fn log_level(&self) -> Result<LogLevel, Wrong> {
        let name = self.value.get_ref().as_str();
        name.and_then(LogLevel::parse)
            .ok_or_else(|| self.expected("one of \"error\", \"warn\", \"info\", \"debug\""))
    }

    fn expected(&self, what: &str) -> Wrong {
        let found = self.value.get_ref().type_str();
        let message = format!("\"{}\" needs {what}, this is {}", self.key, article(found));
        Wrong::new(self.value.span(), message)
    }
}

/// `a string`, `an integer`.
fn article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let wrong = parse(text).err().unwrap();
        wrong.at(Path::new("config.toml"), text).to_string()
    }

    #[test]
    fn every_known_key_is_read() {
        let text = "max_sessions = 300\nmax_sessions_per_scope = 60\nyield_ms = 5_000\n\
             max_output_chars = 2000\nttl_ms = 0\ntimeout_sec = 0\nlog_bytes = 0x100000\n\
             total_log_bytes = 1000000\nleave_key = [\"ctrl-]\", \"f12\"]\n\
             confirm = \"never\"\nascii = true\nlog_level = \"debug\"\n";
        let config = parse(text).ok().unwrap();
        let expected = Config {
            max_sessions: Some(300),
            max_sessions_per_scope: Some(60),
            yield_ms: Some(5000),
            max_output_chars: Some(2000),
            ttl_ms: Some(0),
            timeout_sec: Some(0),
            log_bytes: Some(1 << 20),
            total_log_bytes: Some(1_000_000),
            leave_key: vec!["ctrl-]".to_owned(), "f12".to_owned()],
            confirm: Confirm::Never,
            ascii: true,
            log_level: Some(LogLevel::Debug),
        };
        assert_eq!(config, expected);
        // A key that is read and not in the list could never be suggested.
        for key in KEYS {
            assert!(text.contains(&format!("{key} = ")), "{key}");
        }
    }

    #[test]
    fn an_unknown_key_has_its_place_and_the_nearest_word() {
        assert_eq!(
            error("# ä\nascii = true\n  yeild_ms = 5\n"),
            "config.toml:3:3: unknown key \"yeild_ms\". Did you mean \"yield_ms\"?"
        );
        assert!(error("[jobs]\n").starts_with("config.toml:1:2: unknown key \"jobs\". Known: "));
    }

    #[test]
    fn a_wrong_value_has_its_place_and_says_what_is_right() {
        assert_eq!(
            error("ascii = 1"),
            "config.toml:1:9: \"ascii\" needs true or false, this is an integer"
        );
        assert!(error("leave_key = [1]").contains("a list of strings"));
        assert!(error("log_level = \"loud\"").contains("needs one of \"error\""));
        assert!(error("confirm = \"maybe\"").contains("\"ask\" or \"never\""));
        assert!(error("max_sessions = 0").contains("out of range; the least is 1"));
        assert!(error("max_sessions = 99999999999").contains("out of range"));
        assert!(error("yield_ms = -1").contains("out of range"));
    }

    #[test]
    fn broken_toml_has_its_place() {
        assert!(error("ascii = true\nconfirm = \n").starts_with("config.toml:2:"));
        assert!(error("ascii = true\nascii = true\n").starts_with("config.toml:2:"));
    }

    #[test]
    fn a_missing_file_means_the_defaults_and_a_directory_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            load(&dir.path().join("config.toml")).unwrap(),
            Config::default()
        );
        let error = load(dir.path()).unwrap_err().to_string();
        assert!(error.starts_with("cannot read "), "{error}");
    }
}
