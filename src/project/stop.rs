//! How a job is stopped.

use serde::{Deserialize, Serialize};

use super::keys;
use super::node::Value;
use super::section::{Section, Text};
use crate::protocol::suggest;

/// How a job is stopped.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stop {
    /// What asks it to end.
    pub how: StopHow,
    /// How long it has until it is killed, in milliseconds.
    pub grace_ms: u64,
}

/// What asks a job to end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopHow {
    /// A signal, named without `SIG`.
    Signal(String),
    /// Keys that are typed into it.
    Keys(Vec<String>),
    /// A shell line.
    Run(String),
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            how: StopHow::Signal("TERM".to_owned()),
            grace_ms: 10_000,
        }
    }
}

impl Stop {
    /// Reads the table `stop`.
    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(keys::STOP, &[]);
        let usual = Self::default();
        let how = match section.one_of(keys::STOPS, false) {
            Some("signal") => section
                .text("signal")
                .and_then(|text| signal(section, "signal", &text, &text.text))
                .map(StopHow::Signal),
            Some("keys") => keys_of(section).map(StopHow::Keys),
            Some(_) => section.text("run").and_then(|line| {
                let is_blank = line.text.trim().is_empty();
                if is_blank {
                    section.wrong(&line.place, "run", "a shell line, not \"\"");
                }
                (!is_blank).then_some(StopHow::Run(line.text))
            }),
            None => None,
        };
        Self {
            how: how.unwrap_or(usual.how),
            grace_ms: section.duration("grace").unwrap_or(usual.grace_ms),
        }
    }
}

/// Keys: a list, or one string of keys with spaces between them.
fn keys_of(section: &Section<'_>) -> Option<Vec<String>> {
    let node = section.get("keys")?;
    let keys: Vec<String> = match node.value {
        Value::String(_) => split(&section.text("keys")?.text),
        _ => section
            .texts("keys")?
            .into_iter()
            .map(|key| key.text)
            .collect(),
    };
    if keys.is_empty() || keys.iter().any(String::is_empty) {
        section.wrong(&node.place, "keys", "one or more keys, such as \"q\"");
        return None;
    }
    Some(keys)
}

/// The keys of a string, such as `C-c q Enter`.
pub(super) fn split(keys: &str) -> Vec<String> {
    keys.split_whitespace().map(str::to_owned).collect()
}

/// The signals that a file may name. Those that only the kernel sends for a mistake of the program are left out.
const SIGNALS: &[&str] = &[
    "TERM", "INT", "HUP", "QUIT", "KILL", "USR1", "USR2", "ABRT", "ALRM", "CONT", "STOP", "TSTP",
    "WINCH", "PIPE", "IO", "PWR", "TTIN", "TTOU", "URG", "VTALRM", "PROF", "XCPU", "XFSZ", "CHLD",
];

/// The name of a signal without `SIG`. `name` is the part of `text` that names it.
pub(super) fn signal(section: &Section<'_>, key: &str, text: &Text, name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    if SIGNALS.contains(&short) {
        return Some(short.to_owned());
    }
    let hint = match suggest::nearest(short, SIGNALS.iter().copied()) {
        Some(near) => format!(". Did you mean \"{near}\"?"),
        None => String::new(),
    };
    let must = format!("a signal such as TERM, not {name:?}{hint}");
    section.wrong(&text.place, key, &must);
    None
}
