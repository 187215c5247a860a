//! The files whose changes a job reacts to.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::job::{is_default, is_yes, yes};
use super::section::{Section, Text};
use super::{glob, keys, names, stop};

/// Pause after the last change: 300 ms.
const DEBOUNCE_MS: u64 = 300;

/// The files whose changes a job reacts to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Watch {
    /// Files and directories, as absolute paths.
    pub paths: Vec<PathBuf>,
    /// Globs of which one must match; none: any file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub only: Vec<String>,
    /// Globs of which none may match.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ignore: Vec<String>,
    /// Whether files that git ignores are ignored.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub gitignore: bool,
    /// Pause after the last change, in milliseconds.
    #[serde(default = "debounce", skip_serializing_if = "is_debounce")]
    pub debounce_ms: u64,
    /// What a change does.
    #[serde(rename = "do", default, skip_serializing_if = "is_default")]
    pub what: WatchDo,
    /// Whether a restart also restarts the jobs that need this one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cascade: bool,
}

/// What a change of files does to a job.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WatchDo {
    /// It is restarted.
    #[default]
    Restart,
    /// It gets a signal, named without `SIG`.
    Signal(String),
    /// Keys are typed into it.
    Keys(Vec<String>),
}

impl Watch {
    /// Reads the table `watch` of a job whose file is in `dir`.
    pub(super) fn read(section: &Section<'_>, dir: &std::path::Path) -> Self {
        section.only(keys::WATCH, &[]);
        let paths = match section.texts("paths") {
            Some(texts) => {
                if let (true, Some(node)) = (texts.is_empty(), section.get("paths")) {
                    section.wrong(&node.place, "paths", "a list with at least one path");
                }
                let absolute = |text: Text| names::without_dots(&text.place.dir().join(text.text));
                texts.into_iter().map(absolute).collect()
            }
            None => vec![dir.to_owned()],
        };
        let what = section.text("do").and_then(|text| what(section, &text));
        Self {
            paths,
            only: globs(section, "only"),
            ignore: globs(section, "ignore"),
            gitignore: section.boolean("gitignore").unwrap_or(true),
            debounce_ms: section.duration("debounce").unwrap_or(DEBOUNCE_MS),
            what: what.unwrap_or_default(),
            cascade: section.boolean("cascade").unwrap_or_default(),
        }
    }
}

impl Watch {
    /// What it watches and does, for people: `src, *.rs (restarts)`. Paths below `dir` are shown relative to it.
    pub fn shown(&self, dir: &std::path::Path) -> String {
        let relative = |path: &PathBuf| match path.strip_prefix(dir) {
            Ok(path) if path.as_os_str().is_empty() => ".".to_owned(),
            Ok(path) => path.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        let mut words: Vec<String> = self.paths.iter().map(relative).collect();
        if words == ["."] && !self.only.is_empty() {
            words.clear();
        }
        words.extend(self.only.iter().cloned());
        format!("{} ({})", words.join(", "), self.what.shown())
    }
}

impl WatchDo {
    /// What happens, for people: `restarts`.
    fn shown(&self) -> String {
        match self {
            Self::Restart => "restarts".to_owned(),
            Self::Signal(name) => format!("sends {name}"),
            Self::Keys(keys) => format!("types {}", keys.join(" ")),
        }
    }
}

/// The valid globs of a key.
fn globs(section: &Section<'_>, key: &str) -> Vec<String> {
    let texts = section.texts(key).unwrap_or_default().into_iter();
    let valid = texts.filter(|text| match glob::check(&text.text) {
        Ok(_) => true,
        Err(why) => {
            let must = format!("valid globs, not {:?}: {why}", text.text);
            section.wrong(&text.place, key, &must);
            false
        }
    });
    valid.map(|text| text.text).collect()
}

/// `restart`, `signal:HUP` or `keys:r`.
fn what(section: &Section<'_>, text: &Text) -> Option<WatchDo> {
    match text.text.split_once(':') {
        None if text.text == "restart" => return Some(WatchDo::Restart),
        Some(("signal", name)) => {
            return stop::signal(section, "do", text, name).map(WatchDo::Signal);
        }
        Some(("keys", keys)) => {
            let keys = stop::split(keys);
            if !keys.is_empty() {
                return Some(WatchDo::Keys(keys));
            }
        }
        _ => {}
    }
    let must = format!(
        "restart, a signal such as signal:HUP, or keys such as keys:r, not {:?}",
        text.text
    );
    section.wrong(&text.place, "do", &must);
    None
}

fn debounce() -> u64 {
    DEBOUNCE_MS
}

fn is_debounce(ms: &u64) -> bool {
    *ms == DEBOUNCE_MS
}
