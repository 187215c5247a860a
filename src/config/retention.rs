//! `[retention]`: how long ended jobs and their logs are kept.

use serde::Deserialize;

use super::value::{U32, time, whole};

/// The content of the table. `None` is not set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// How long a person's ended job is kept at least, in milliseconds; `u64::MAX` is forever.
    #[serde(rename = "people", deserialize_with = "time")]
    pub people_ms: Option<u64>,
    /// Limit of a person's ended jobs. Beyond it, the oldest that have been kept for `people_ms` are
    /// removed.
    #[serde(deserialize_with = "whole::<0, U32, _, _>")]
    pub people_jobs: Option<u32>,
    /// How long an agent's ended job is kept, in milliseconds.
    #[serde(rename = "agents", deserialize_with = "time")]
    pub agents_ms: Option<u64>,
    /// How long an agent's failed job is kept, in milliseconds.
    #[serde(rename = "agents_failed", deserialize_with = "time")]
    pub agents_failed_ms: Option<u64>,
}
