//! When a job is run again.

use serde::{Deserialize, Serialize};

use super::keys;
use super::ready::Ready;
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
    /// A run that was ready and has not been for so many milliseconds is ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unready_ms: Option<u64>,
}

impl Default for Restart {
    fn default() -> Self {
        Self {
            when: RestartWhen::Never,
            max: 5,
            first_ms: 1000,
            longest_ms: 30_000,
            reset_ms: 60_000,
            unready_ms: None,
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
    /// Reads the table `restart` of a job that is ready by `ready`.
    pub(super) fn read(section: &Section<'_>, ready: Option<&Ready>) -> Self {
        section.only(keys::RESTART, &[]);
        let usual = Self::default();
        let max = section.number("max", 0..=i64::from(u32::MAX));
        let backoff = section.text_as("backoff", "durations such as \"1s..30s\"");
        let backoff = backoff.and_then(|text| backoff_of(section, &text));
        let (first_ms, longest_ms) = backoff.unwrap_or((usual.first_ms, usual.longest_ms));
        let when = section.word("when", WHEN).unwrap_or(usual.when);
        Self {
            when,
            max: max
                .and_then(|max| u32::try_from(max).ok())
                .unwrap_or(usual.max),
            first_ms,
            longest_ms,
            reset_ms: section.duration("reset").unwrap_or(usual.reset_ms),
            unready_ms: unready(section, when, ready),
        }
    }
}

/// `unready`, which needs a policy that restarts after failures, and readiness that can be lost.
fn unready(section: &Section<'_>, when: RestartWhen, ready: Option<&Ready>) -> Option<u64> {
    let entry = section.table.entry("unready")?;
    let ms = section.duration("unready")?;
    if ms == 0 {
        section.wrong(&entry.node.place, "unready", "more than 0");
        return None;
    }
    let missing = match ready {
        _ if when == RestartWhen::Never => "when = \"on-failure\" or \"always\" beside it",
        Some(ready) if ready.check.can_be_lost() => return Some(ms),
        Some(_) => "a ready that can be lost: port, tcp, http, exec or file",
        None => "a ready, such as { http = \"http://localhost:3000/\" }",
    };
    let message = format!("\"unready\"{} needs {missing}", section.owner());
    section.faults.add(&entry.place, message);
    None
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
