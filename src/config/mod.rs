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
mod retention;
mod value;

use std::io;
use std::path::Path;

use toml::de::DeTable;

pub use self::choice::{Background, Confirm, LogLevel, Notify};
pub use self::error::{ConfigError, Spot, Wrong};
pub use self::keys::{Rebinding, Spelt};
pub use self::retention::Retention;
pub use self::value::Entry;
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
    /// Time between TERM and KILL when a person stops a job, in milliseconds.
    pub stop_grace_ms: Option<u64>,
    /// Time limit of what agents start, in seconds; 0: none.
    pub timeout_sec: Option<u64>,
    /// Bytes of log kept per session.
    pub log_bytes: Option<u64>,
    /// Bytes of log kept in all.
    pub total_log_bytes: Option<u64>,
    /// Keys that leave INSERT.
    pub leave_key: Vec<Spelt>,
    /// Whether the dashboard asks before it ends a job.
    pub confirm: Confirm,
    /// Whether the dashboard keeps to ASCII characters.
    pub ascii: bool,
    /// How long ended jobs are kept.
    pub retention: Retention,
    /// How much the daemon says about itself.
    pub log_level: Option<LogLevel>,
    /// The dashboard's colours, by name.
    pub theme: Option<Spelt>,
    /// What the dashboard takes the terminal's background for.
    pub background: Background,
    /// Whether the dashboard takes the mouse.
    pub mouse: Option<bool>,
    /// How a person who looks at something else is told.
    pub notify: Notify,
    /// Keys of the dashboard bound anew, from top to bottom.
    pub keys: Vec<Rebinding>,
}

/// Longest `stop_grace_ms`: the daemon takes no longer grace in one request.
const LONGEST_GRACE_MS: u64 = 600_000;

impl Config {
    /// How long a job has to end when a person stops it, in milliseconds: 10 s unless the file says otherwise, as
    /// `docker stop`. Agents have the protocol's 2 s.
    pub fn stop_grace_ms(&self) -> u64 {
        self.stop_grace_ms.unwrap_or(10_000).min(LONGEST_GRACE_MS)
    }
}

/// The keys that are known, for suggestions.
const KEYS: [&str; 19] = [
    "ascii",
    "background",
    "confirm",
    "keys",
    "leave_key",
    "log_bytes",
    "log_level",
    "max_output_chars",
    "max_sessions",
    "max_sessions_per_scope",
    "mouse",
    "notify",
    "retention",
    "stop_grace_ms",
    "theme",
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

fn parse(text: &str) -> Result<Config, Wrong> {
    let table = DeTable::parse(text)?;
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
            "stop_grace_ms" => {
                config.stop_grace_ms = Some(entry.between(0, LONGEST_GRACE_MS.into())?);
            }
            "timeout_sec" => config.timeout_sec = Some(entry.at_least(0)?),
            "log_bytes" => config.log_bytes = Some(entry.at_least(1)?),
            "total_log_bytes" => config.total_log_bytes = Some(entry.at_least(1)?),
            "leave_key" => config.leave_key = entry.words(text)?,
            "confirm" => config.confirm = entry.confirm()?,
            "ascii" => config.ascii = entry.boolean()?,
            "log_level" => config.log_level = Some(entry.log_level()?),
            "theme" => config.theme = Some(entry.spelt(text)?),
            "background" => config.background = entry.background()?,
            "mouse" => config.mouse = Some(entry.boolean()?),
            "notify" => config.notify = entry.notify()?,
            "retention" => config.retention = retention::read(entry.table()?)?,
            "keys" => config.keys = keys::read(entry.table()?, text)?,
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let wrong = parse(text).err().unwrap();
        wrong.at(Path::new("config.toml"), text).to_string()
    }

    fn spelt(word: &str, line: usize, column: usize) -> Spelt {
        Spelt {
            word: word.to_owned(),
            at: Spot { line, column },
        }
    }

    #[test]
    fn every_known_key_is_read() {
        let text = "max_sessions = 300\nmax_sessions_per_scope = 60\nyield_ms = 5_000\n\
             max_output_chars = 2000\nttl_ms = 0\ntimeout_sec = 0\nlog_bytes = 0x100000\n\
             total_log_bytes = 1000000\nleave_key = [\"ctrl-]\", \"f12\"]\n\
             confirm = \"never\"\nascii = true\nlog_level = \"debug\"\n\
             stop_grace_ms = 500\ntheme = \"nord\"\nbackground = \"light\"\nmouse = false\nnotify = \"none\"\n\
             retention = { people = \"forever\", people_jobs = 7, agents = \"0s\", agents_failed = \"1d\" }\n\
             keys = { scroll = { top = [\"f2\", \"f3\"], live = \"\" } }\n";
        let config = parse(text).ok().unwrap();
        let expected = Config {
            max_sessions: Some(300),
            max_sessions_per_scope: Some(60),
            yield_ms: Some(5000),
            max_output_chars: Some(2000),
            ttl_ms: Some(0),
            stop_grace_ms: Some(500),
            timeout_sec: Some(0),
            log_bytes: Some(1 << 20),
            total_log_bytes: Some(1_000_000),
            leave_key: vec![spelt("ctrl-]", 9, 14), spelt("f12", 9, 24)],
            confirm: Confirm::Never,
            ascii: true,
            log_level: Some(LogLevel::Debug),
            theme: Some(spelt("nord", 14, 9)),
            background: Background::Light,
            mouse: Some(false),
            notify: Notify::None,
            retention: Retention {
                people_ms: Some(u64::MAX),
                people_jobs: Some(7),
                agents_ms: Some(0),
                agents_failed_ms: Some(86_400_000),
            },
            keys: vec![
                Rebinding {
                    place: spelt("scroll", 19, 10),
                    action: spelt("top", 19, 21),
                    keys: vec![spelt("f2", 19, 28), spelt("f3", 19, 34)],
                },
                Rebinding {
                    place: spelt("scroll", 19, 10),
                    action: spelt("live", 19, 41),
                    keys: Vec::new(),
                },
            ],
        };
        assert_eq!(config, expected);
        // A key that is read and not in the list could never be suggested.
        for key in KEYS {
            assert!(text.contains(&format!("{key} = ")), "{key}");
        }
    }

    #[test]
    fn the_manual_explains_every_key() {
        let chapter = include_str!("../../assets/help/configuration.md");
        let rows = || chapter.lines().filter(|line| line.starts_with("| `"));
        for key in KEYS {
            let is_table = ["keys", "retention"].contains(&key);
            let (row, table) = (format!("| `{key}` |"), format!("| `[{key}"));
            let mut rows = rows();
            assert!(
                rows.any(|line| line.starts_with(&row) || is_table && line.starts_with(&table)),
                "{key}"
            );
        }
        for key in retention::KEYS {
            assert!(chapter.contains(&format!("\n{key} = ")), "{key}");
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
        assert!(error("theme = 1").contains("\"theme\" needs a string"));
        assert!(error("background = \"grey\"").contains("\"auto\", \"dark\" or \"light\""));
        assert!(error("notify = true").contains("\"terminal\", \"desktop\" or \"none\""));
        assert!(error("[keys]\nnormal = 1").contains("\"normal\" needs a table"));
        assert!(error("[keys.normal]\nstop = 1").starts_with("config.toml:2:8: \"stop\" needs"));
        assert!(error("confirm = \"maybe\"").contains("\"ask\" or \"never\""));
        let wrong = error("[retention]\npeople = \"long\"");
        assert!(
            wrong.starts_with("config.toml:2:10: \"people\": `long` is no duration"),
            "{wrong}"
        );
        assert!(error("[retention]\npeeple = 1").contains("Did you mean \"people\"?"));
        assert!(error("stop_grace_ms = 600001").contains("the most is 600000"));
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
