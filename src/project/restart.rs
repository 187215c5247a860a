//! When a job is run again.

use serde::{Deserialize, Serialize};

use super::keys;
use super::section::{Section, Text};
use crate::protocol::policy::RestartWhen;

/// When a job is run again after its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Restart {
    /// The ends after which it is run again.
    pub when: RestartWhen,
    /// Maximum number of restarts in a row; 4294967295: unlimited.
    pub max: u32,
    /// Pause before the first restart, in milliseconds. It doubles with each further one.
    pub first_ms: u64,
    /// Longest pause, in milliseconds.
    pub longest_ms: u64,
    /// After a run of so many milliseconds the count starts again.
    pub reset_ms: u64,
}

impl Default for Restart {
    fn default() -> Self {
        Self {
            when: RestartWhen::Never,
            max: 5,
            first_ms: 1000,
            longest_ms: 30_000,
            reset_ms: 60_000,
        }
    }
}

/// The words of `when`.
const WHEN: &[(&str, RestartWhen)] = &[
    ("never", RestartWhen::Never),
    ("on-failure", RestartWhen::OnFailure),
    ("always", RestartWhen::Always),
];

impl Restart {
    /// Reads the table `restart`.
    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(keys::RESTART, &[]);
        let usual = Self::default();
        let max = section.number("max", 0..=i64::from(u32::MAX));
        let backoff = section.text_as("backoff", "durations such as \"1s..30s\"");
        let backoff = backoff.and_then(|text| backoff_of(section, &text));
        let (first_ms, longest_ms) = backoff.unwrap_or((usual.first_ms, usual.longest_ms));
        Self {
            when: section.word("when", WHEN).unwrap_or(usual.when),
            max: max
                .and_then(|max| u32::try_from(max).ok())
                .unwrap_or(usual.max),
            first_ms,
            longest_ms,
            reset_ms: section.duration("reset").unwrap_or(usual.reset_ms),
        }
    }
}

/// `1s..30s`, or `1s` for pauses that do not grow.
fn backoff_of(section: &Section<'_>, text: &Text) -> Option<(u64, u64)> {
    let part = |part: &str| {
        let text = Text {
            text: part.to_owned(),
            place: text.place.clone(),
        };
        section.duration_of(&text, "backoff")
    };
    let Some((first, longest)) = text.text.split_once("..") else {
        return part(&text.text).map(|same| (same, same));
    };
    let (first, longest) = (part(first)?, part(longest)?);
    if first > longest {
        let must = format!("the shorter pause first, not {:?}", text.text);
        section.wrong(&text.place, "backoff", &must);
        return None;
    }
    Some((first, longest))
}
