//! `[retention]`: how long ended jobs and their logs are kept.

use toml::de::DeTable;

use super::duration;
use super::error::Wrong;
use super::value::Entry;
use crate::protocol::suggest::nearest;

/// What the table says; `None`: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retention {
    /// How long a person's ended job is kept at least, in milliseconds; the largest number is for ever.
    pub people_ms: Option<u64>,
    /// A person's ended jobs beyond which those that are older than that go.
    pub people_jobs: Option<u32>,
    /// How long an agent's ended job is kept, in milliseconds.
    pub agents_ms: Option<u64>,
    /// The same of one that failed.
    pub agents_failed_ms: Option<u64>,
}

/// The keys that are known.
pub(super) const KEYS: [&str; 4] = ["agents", "agents_failed", "people", "people_jobs"];

/// Reads the table.
pub(super) fn read(table: &DeTable<'_>) -> Result<Retention, Wrong> {
    let mut retention = Retention::default();
    for (key, value) in table {
        let entry = Entry {
            key: key.get_ref(),
            value,
        };
        match entry.key {
            "people" => retention.people_ms = Some(time(&entry)?),
            "people_jobs" => retention.people_jobs = Some(entry.at_least(0)?),
            "agents" => retention.agents_ms = Some(time(&entry)?),
            "agents_failed" => retention.agents_failed_ms = Some(time(&entry)?),
            unknown => {
                let near = nearest(unknown, KEYS);
                let hint = match near {
                    Some(near) => format!("Did you mean \"{near}\"?"),
                    None => format!("Known: {}", KEYS.join(", ")),
                };
                let message = format!("unknown key \"{unknown}\" in [retention]. {hint}");
                return Err(Wrong::new(key.span(), message));
            }
        }
    }
    Ok(retention)
}

/// A duration as people write it, or `"forever"`.
fn time(entry: &Entry<'_, '_>) -> Result<u64, Wrong> {
    duration::parse_or_forever(entry.word()?)
        .map_err(|why| Wrong::new(entry.value.span(), format!("\"{}\": {why}", entry.key)))
}
